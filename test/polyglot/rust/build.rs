//! Makes the stubs from proto/ with protoc, as any crate that uses tonic does.
use std::{fs, io};

fn main() -> io::Result<()> {
    let proto = "../../../proto";
    let folder = format!("{proto}/trident/v1");
    let files = fs::read_dir(&folder)?.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()?;
    println!("cargo:rerun-if-changed={folder}");
    tonic_prost_build::configure().build_server(false).compile_protos(&files, &[proto.into()])
}

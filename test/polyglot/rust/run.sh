# The main job over gRPC in Rust; its stubs are made from proto/ when it runs.
source test/polyglot/walk.sh
own_protoc
CLIENT=test/polyglot/rust
# What it builds is kept outside the checkout, for the next run.
export CARGO_TARGET_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/trident-polyglot-rust
MANIFEST=$PWD/$CLIENT/Cargo.toml
NEEDED=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$MANIFEST")
cd "$WORK_DIR"
HAS=$(rustc --version 2> /dev/null | cut -d ' ' -f 2) && command -v cargo > /dev/null &&
  printf '%s\n' "$NEEDED" "$HAS" | sort -CV ||
  lacking "Rust $NEEDED or later is missing, with its cargo"
download cargo fetch --locked --manifest-path "$MANIFEST" --target "$(rustc -vV | sed -n 's/^host: //p')"
quietly cargo build --locked --offline --manifest-path "$MANIFEST"
exec "$CARGO_TARGET_DIR/debug/trident-client" "$GRPC_ADDRESS"

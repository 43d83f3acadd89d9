// Plain JavaScript, because an older Node cannot even read the TypeScript that it would refuse to run.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 11)) {
  console.error(
    `Trident runs on Node 24.11 or newer; this is ${process.versions.node}. ` +
      'Put a newer Node on the path; in a clone, "npm ci" installs one with the development packages.',
  )
  process.exit(1)
}

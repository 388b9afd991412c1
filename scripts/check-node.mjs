// Imported first and importing nothing: on an older Node, packages would fail with another message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Waystation needs Node 20.19 or later; this is ${major}.${minor}.`);
  process.exit(1);
}

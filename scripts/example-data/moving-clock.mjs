// Loaded into a server before its program (`--import`): its parent sets its clock. Timers are unaffected.
const RealDate = Date;
let nowMs = Number(process.env.WAYSTATION_DEMO_NOW_MS);

process.on('message', (ms) => {
  nowMs = ms;
  process.send(ms);
});
// Must not keep the program alive.
process.channel.unref();

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(nowMs);
    else super(...parts);
  }

  static now() {
    return nowMs;
  }
};

// Loaded into a server before its program (`--import`): its clock stands where its parent sets it. Timers go on as they do.
const RealDate = Date;
let nowMs = Number(process.env.WAYSTATION_DEMO_NOW_MS);

process.on('message', (ms) => {
  nowMs = ms;
  process.send(ms);
});
// The program is not kept alive for this.
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

// Loaded into a process before its program (`--import`): its clock is ahead by WAYSTATION_TEST_AHEAD_MS until SIGUSR2 sets it right.
// Timers are unaffected.
const RealDate = Date;
let aheadMs = Number(process.env.WAYSTATION_TEST_AHEAD_MS);

process.on('SIGUSR2', () => {
  aheadMs = 0;
  process.stderr.write('The clock is set right.\n');
});

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + aheadMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};

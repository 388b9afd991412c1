// Loaded into a process before its program (`--import`): its clock is ahead by WAYSTATION_TEST_AHEAD_MS. Timers go on as they do.
const RealDate = Date;
const aheadMs = Number(process.env.WAYSTATION_TEST_AHEAD_MS);

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + aheadMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};

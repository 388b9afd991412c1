/** Marks the failure of a call that never reached the messaging platform, which has therefore refused nothing. */
export const UNREACHED_PLATFORM =
  /refuses connections|cannot be (resolved|reached)|did not answer in time|connection to the platform broke/i;

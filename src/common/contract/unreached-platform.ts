/** In what is said of a call to a messaging platform: it did not get through to the platform, which has refused nothing. */
export const UNREACHED_PLATFORM =
  /refuses connections|cannot be (resolved|reached)|did not answer in time|connection to the platform broke/i;

/**
 * Environment of servers whose memory is measured, as in the operator's guide: by default V8 lets garbage grow to several times the memory
 * in use if the machine has enough.
 */
export const HEAP_LIMIT = { NODE_OPTIONS: '--max-old-space-size=256' };

/** The heap limit in the files of deploy/. */
export const DEPLOYED_HEAP = { NODE_OPTIONS: '--max-old-space-size=512' };

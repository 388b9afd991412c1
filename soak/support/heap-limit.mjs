/**
 * Environment of servers whose memory is measured, as the operator's guide has it: left to itself V8 lets garbage grow to some times
 * what is in use, where there is memory for it.
 */
export const HEAP_LIMIT = { NODE_OPTIONS: '--max-old-space-size=256' };

/** The heap that the files in deploy/ give a server. */
export const DEPLOYED_HEAP = { NODE_OPTIONS: '--max-old-space-size=512' };

export const CHECKPOINTS = {
  table: 'state_checkpoint',
  keys: 'place',
  bytes: 'octet_length(data) + octet_length(metadata) + octet_length(members) + octet_length(channels)',
} as const;

export const WRITES = { table: 'state_write', keys: 'place, task_id, idx', bytes: 'octet_length(data)' } as const;

export const VALUES = { table: 'state_value', keys: 'agent, digest', bytes: 'octet_length(data)' } as const;

/** Values of checkpoints that are gone. */
export const LEFTOVERS = { table: 'state_leftover', keys: 'agent, digest', bytes: '0' } as const;

/** All tables of graph states, with a row's key within its thread. */
export const STATE_TABLES = [CHECKPOINTS, VALUES, WRITES, LEFTOVERS] as const;

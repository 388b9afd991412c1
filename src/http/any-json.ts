/** The schema of a member that may hold any JSON, in the documentation of the API. */
export const ANY_JSON = {
  oneOf: [
    { type: 'string', nullable: true },
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'number' },
    { type: 'boolean' },
  ],
};

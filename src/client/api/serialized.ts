import type { Schemas } from './api-requests.js';

/** What a serialiser made of a value: the name of its form, and the bytes. The server never looks into them. */
export type Serialized = readonly [type: string, bytes: Uint8Array];

/** The bytes of a value that the server gave. */
export function bytesOf({ data }: { data: string }): Uint8Array {
  return new Uint8Array(Buffer.from(data, 'base64'));
}

/** The same as the API takes it. */
export function inBase64([type, bytes]: Serialized): Schemas['SerializedDto'] {
  return { type, data: Buffer.from(bytes).toString('base64') };
}

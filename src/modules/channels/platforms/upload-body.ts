import { randomUUID } from 'node:crypto';

/** A body that is streamed. */
export interface UploadBody {
  mediaType: string;
  sizeBytes: number;
  /** Starts from the beginning each time. */
  bytes: () => AsyncIterable<Uint8Array>;
}

/** A file among the fields of a form. */
export interface FormFile extends UploadBody {
  field: string;
  /** Without control characters. */
  name: string;
}

/** A form with one file, the last of its fields: RFC 7578. */
export function formBody(fields: Readonly<Record<string, string>>, file: FormFile): UploadBody {
  const boundary = `waystation-${randomUUID()}`;
  const head = Object.entries(fields).map(([name, value]) => `${opening(boundary, name)}\r\n\r\n${value}\r\n`);
  // Parsers disagree on how to escape names.
  const name = file.name.toWellFormed().replaceAll(/["\\\r\n]/g, '_');
  head.push(`${opening(boundary, file.field)}; filename="${name}"\r\nContent-Type: ${file.mediaType}\r\n\r\n`);
  const [before, after] = [Buffer.from(head.join('')), Buffer.from(`\r\n--${boundary}--\r\n`)];
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: before.length + file.sizeBytes + after.length,
    bytes: async function* () {
      yield before;
      yield* file.bytes();
      yield after;
    },
  };
}

function opening(boundary: string, name: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
}

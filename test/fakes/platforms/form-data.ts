/** A file that a platform got. */
export interface SentFile {
  name: string;
  mediaType: string;
  bytes: Buffer;
}

export interface SentForm {
  fields: Record<string, string>;
  /** By the name of its field. */
  files: Record<string, SentFile>;
}

/** The parts of a `multipart/form-data` body, read as strictly as RFC 7578 has it; null for another body, or one that is none. */
export function formIn(contentType: string | undefined, body: Buffer): SentForm | null {
  const boundary = /^multipart\/form-data; boundary=([\w-]{1,70})$/.exec(contentType ?? '')?.[1];
  if (boundary === undefined) return null;
  const form: SentForm = { fields: {}, files: {} };
  const [opening, closing] = [`--${boundary}\r\n`, `\r\n--${boundary}`];
  let at = 0;
  while (body.subarray(at, at + opening.length).toString() === opening) {
    const headEnd = body.indexOf('\r\n\r\n', at);
    const end = body.indexOf(closing, headEnd);
    if (headEnd < 0 || end < 0) return null;
    const head = body.subarray(at + opening.length, headEnd).toString();
    const bytes = body.subarray(headEnd + 4, end);
    const found =
      /^Content-Disposition: form-data; name="(\w+)"(?:; filename="([^"\r\n]+)"\r\nContent-Type: (\S+))?$/.exec(head);
    if (!found) return null;
    const [, field = '', name, mediaType = ''] = found;
    if (name === undefined) form.fields[field] = bytes.toString();
    else form.files[field] = { name, mediaType, bytes: Buffer.from(bytes) };
    at = end + 2;
  }
  return body.subarray(at).toString() === `--${boundary}--\r\n` ? form : null;
}

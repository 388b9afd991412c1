/** As defined in RFC 6838, without parameters. */
const MEDIA_TYPE = /^[a-z0-9][\w.+-]{0,126}\/[a-z0-9][\w.+-]{0,126}$/;

const BYTES = 'application/octet-stream';

/** For file names of common programs; see the IANA registry. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  ...{ jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp', gif: 'image/gif' },
  ...{ svg: 'image/svg+xml', ogg: 'audio/ogg', oga: 'audio/ogg', opus: 'audio/ogg', mp3: 'audio/mpeg' },
  ...{ m4a: 'audio/mp4', aac: 'audio/aac', wav: 'audio/wav', mp4: 'video/mp4', pdf: 'application/pdf' },
  ...{ txt: 'text/plain', csv: 'text/csv', md: 'text/markdown', html: 'text/html', json: 'application/json' },
  ...{ zip: 'application/zip', doc: 'application/msword', xls: 'application/vnd.ms-excel' },
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** The media type of a file, without parameters: the given one, otherwise by the name's extension. */
export function mediaTypeOf(said: string | null, name: string): string {
  const type = said?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (MEDIA_TYPE.test(type)) return type;
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension]! : BYTES;
}

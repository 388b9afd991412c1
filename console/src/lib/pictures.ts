/** A picture in a message. */
export interface Picture {
  /** A `data:` URL that may be drawn; null for one that would have to be loaded, or that no browser draws. */
  src: string | null;
  /** What it is or where it would come from, for people. */
  target: string;
  /** Ids of the calls whose results contain it. */
  callIds: readonly string[];
}

/** Formats that browsers draw and that contain only pixels: an SVG is a document. */
const DRAWN = /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/i;
const DATA_URL = /^data:([\w/+.-]*)[^,]{0,100},/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}\s*$/;
/** Values of a message to look at, and how deep: pictures are in its parts, not in its data. */
const MAX_VALUES = 2_000;
const MAX_DEPTH = 8;
const MAX_PICTURES = 40;
const CALL_IDS = ['tool_call_id', 'tool_use_id', 'call_id', 'toolCallId'];

type Json = Record<string, unknown>;

/** The pictures of a message in the shapes of OpenAI, Anthropic, Gemini and the AI SDK, in order. Never throws. */
export function picturesIn(message: unknown): Picture[] {
  const found: Picture[] = [];
  let left = MAX_VALUES;
  const look = (value: unknown, callIds: readonly string[], depth: number) => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || found.length >= MAX_PICTURES) return;
    if ((left -= 1) < 0) return;
    if (Array.isArray(value)) return value.forEach((one) => look(one, callIds, depth + 1));
    const part = value as Json;
    const own = CALL_IDS.flatMap((name) => textOf(part[name]) ?? []);
    const ids = own.length > 0 ? own : callIds;
    const picture = pictureOf(part);
    if (picture) found.push({ ...picture, callIds: ids });
    else for (const inner of Object.values(part)) look(inner, ids, depth + 1);
  };
  look(message, [], 0);
  return found;
}

/** Null for a part that is not a picture. */
function pictureOf(part: Json): Pick<Picture, 'src' | 'target'> | null {
  const type = textOf(part.type) ?? '';
  if (type === 'image_url' || type === 'input_image' || type === 'computer_screenshot')
    return fromUrl(urlIn(part.image_url) ?? textOf(part.file_id));
  if (type === 'image_generation_call' && typeof part.result === 'string') return fromData('image/png', part.result);
  if (type === 'image') {
    if (isJson(part.source)) return fromSource(part.source);
    const { data, image, mimeType, mediaType } = part;
    return fromAnything(textOf(data) ?? textOf(image), textOf(mimeType) ?? textOf(mediaType) ?? 'image/png');
  }
  if (type === 'file' || type === 'media') {
    const media = textOf(part.mediaType) ?? textOf(part.mimeType) ?? '';
    return media.startsWith('image/') ? fromAnything(textOf(part.url) ?? textOf(part.data), media) : null;
  }
  const inline = part.inlineData ?? part.inline_data;
  if (isJson(inline)) return fromGemini(inline, textOf(inline.data));
  const file = part.fileData ?? part.file_data;
  return isJson(file) ? fromGemini(file, textOf(file.fileUri) ?? textOf(file.file_uri)) : null;
}

function fromSource({ type, media_type, data, url, file_id }: Json): Pick<Picture, 'src' | 'target'> {
  return type === 'base64'
    ? fromAnything(textOf(data), textOf(media_type) ?? 'image/png')
    : fromUrl(textOf(url) ?? textOf(file_id));
}

function fromGemini(part: Json, where: string | undefined): Pick<Picture, 'src' | 'target'> | null {
  const media = textOf(part.mimeType) ?? textOf(part.mime_type) ?? '';
  return media.startsWith('image/') ? fromAnything(where, media) : null;
}

function fromAnything(where: string | undefined, media: string): Pick<Picture, 'src' | 'target'> {
  return where !== undefined && !where.includes(':') && BASE64.test(where.slice(0, 200))
    ? fromData(media, where)
    : fromUrl(where);
}

function fromData(media: string, base64: string): Pick<Picture, 'src' | 'target'> {
  return fromUrl(`data:${media};base64,${base64}`);
}

function fromUrl(url: string | undefined): Pick<Picture, 'src' | 'target'> {
  if (url === undefined) return { src: null, target: 'without an address' };
  const media = DATA_URL.exec(url)?.[1];
  if (media === undefined) return { src: null, target: url };
  const kilobytes = Math.ceil((url.length * 3) / 4 / 1_000).toLocaleString('en-US');
  return { src: DRAWN.test(media) ? url : null, target: `${media || 'data'}, ${kilobytes} kB` };
}

function urlIn(value: unknown): string | undefined {
  return textOf(isJson(value) ? value.url : value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

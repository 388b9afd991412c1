import { digestOf } from '../../../common/digest.js';

const MAX_ID = 512;
const MAX_NAME = 200;

/** The text without what a database cannot hold: U+0000 and halves of surrogate pairs become U+FFFD. */
export function storable(text: string): string {
  return /[\0\p{Cs}]/u.test(text) ? text.replaceAll(/[\0\p{Cs}]/gu, '\uFFFD') : text;
}

/** An id of a platform; its digest if it is too long for an index, which no real id is. */
export function storableId(id: string): string {
  const clean = storable(id);
  return clean.length <= MAX_ID ? clean : `digest:${digestOf(clean)}`;
}

/** The name of a person, cut to what people would read. */
export function storableName(name: string | null): string | null {
  return name === null ? null : [...storable(name)].slice(0, MAX_NAME).join('');
}

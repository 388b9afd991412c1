/** One response in this many is read and checked item by item. */
const CHECKED_EVERY = 20;

/**
 * Expectations of a list's items.
 * @typedef {object} ListExpectation
 * @property {number} items                          how many, exactly
 * @property {string} [sort]                         the field they are sorted by; absent = updated_at
 * @property {'asc' | 'desc'} [order]                absent = desc
 * @property {Record<string, string[]>} [oneOf]      allowed values by field
 * @property {Record<string, string>} [since]        lower bounds of times by field
 * @property {Record<string, string>} [until]        upper bounds of times by field
 */

/**
 * GETs one page of the thread list repeatedly.
 * @param {{path: string, requests: number, expected: ListExpectation}} params
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob({ path, requests: total, expected }, requests) {
  let sent = 0;
  let lastBody = null;
  const next = () => {
    if (sent >= total) return null;
    sent += 1;
    const isChecked = sent % CHECKED_EVERY === 1 || sent === total;
    const accept = (answer) => {
      if (answer.status !== 200) return `GET ${path}: status ${answer.status} instead of 200`;
      if (!isChecked) return null;
      lastBody = answer.body;
      const fault = listFault(JSON.parse(answer.body.toString()), expected);
      return fault === null ? null : `GET ${path}: ${fault}`;
    };
    return requests.get(path, accept, isChecked);
  };
  return { next, summary: () => ({ answerBytes: lastBody?.length ?? 0, nextCursor: cursorOf(lastBody) }) };
}

function cursorOf(body) {
  return body === null ? null : (JSON.parse(body.toString()).next_cursor ?? null);
}

function listFault({ items }, expected) {
  if (items.length !== expected.items) return `${items.length} items instead of ${expected.items}`;
  const values = items.map((item) => comparable(item[expected.sort ?? 'updated_at']));
  const direction = expected.order === 'asc' ? 1 : -1;
  const unsorted = values.findIndex((value, index) => index > 0 && (value - values[index - 1]) * direction < 0);
  if (unsorted > 0) return `item ${unsorted} is out of order`;
  for (const item of items) {
    const fault = itemFault(item, expected);
    if (fault !== null) return fault;
  }
  return null;
}

function itemFault(item, { oneOf = {}, since = {}, until = {} }) {
  for (const [field, allowed] of Object.entries(oneOf)) {
    if (!allowed.includes(item[field])) return `${field} is ${item[field]}`;
  }
  for (const [field, bound] of Object.entries(since)) {
    if (comparable(item[field]) < comparable(bound)) return `${field} ${item[field]} is before ${bound}`;
  }
  for (const [field, bound] of Object.entries(until)) {
    if (comparable(item[field]) > comparable(bound)) return `${field} ${item[field]} is after ${bound}`;
  }
  return null;
}

function comparable(value) {
  return typeof value === 'number' ? value : Date.parse(value);
}

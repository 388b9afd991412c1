import { wantsPage } from './root.service.js';

describe('A caller wants a page', () => {
  it.each([
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'application/json, TEXT/HTML; charset=utf-8; q=0.5',
  ])('with %j', (accept) => {
    expect(wantsPage(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'text/*',
    'text/html;q=0',
    'text/html ; q=0.000, */*',
    'text/htmlx',
    ',;,',
  ])('not with %j', (accept) => {
    expect(wantsPage(accept)).toBe(false);
  });
});

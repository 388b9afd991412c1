import { oneLine, safeFileName } from './file-name.js';

describe('The name of a file that somebody else gave', () => {
  it.each([
    ['invoice.pdf', 'invoice.pdf'],
    ['../x', 'x'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\Ann\\plan.docx', 'plan.docx'],
    ['a/b/', 'b'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['a\r\nSet-Cookie: x.txt', 'a Set-Cookie: x.txt'],
    ['a "quoted" name.txt', 'a "quoted" name.txt'],
    ['zero\u200Bwidth\u0000.txt', 'zerowidth.txt'],
    ['Grüße 😀.txt', 'Grüße 😀.txt'],
    ['  spaces   in  it .txt ', 'spaces in it .txt'],
  ])('is its last part in one line, with nothing unseen: %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });

  it.each(['', ' ', '.', '..', '../..', '/', '\u202E', '\n'])('is none where nothing is left: %j', (name) => {
    expect(safeFileName(name)).toBeNull();
  });

  it('has at most 150 characters, and keeps its extension', () => {
    const safe = safeFileName(`${'😀'.repeat(400)}.pdf`)!;
    expect([...safe]).toHaveLength(150);
    expect(safe).toMatch(/\.pdf$/);
    expect(safe.isWellFormed()).toBe(true);
    expect([...safeFileName('x'.repeat(400))!]).toHaveLength(150);
    expect([...safeFileName(`a.${'x'.repeat(400)}`)!]).toHaveLength(150);
  });
});

describe('A line', () => {
  it('has no breaks and nothing that turns its direction', () => {
    expect(oneLine(' a\n\tb\u2028c \u202Ed ')).toBe('a b c d');
  });
});

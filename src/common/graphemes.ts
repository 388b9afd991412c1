let segmenter: Intl.Segmenter | undefined;

/** What people take for letters. The segmenter is made when it is first needed: the engine reads its tables for 10 ms then. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

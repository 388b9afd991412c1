let segmenter: Intl.Segmenter | undefined;

/** What people perceive as letters. The segmenter is created on first use, because that takes 10 ms. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

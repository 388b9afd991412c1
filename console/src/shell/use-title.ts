import { useEffect } from 'react';
import { visibleString } from '../lib/visible-text.js';

/** The tab's title, after the number of waiting items. Agents may have written it. */
export function useTitle(title: string): void {
  useEffect(() => {
    const count = /^\(\d+\) /.exec(document.title)?.[0] ?? '';
    document.title = `${count}${visibleString(title)} · Waystation`;
  }, [title]);
}

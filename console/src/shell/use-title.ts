import { useEffect } from 'react';
import { visibleString } from '../lib/visible-text.js';

/** The title of the tab, behind the count of what waits. Strangers may have written it. */
export function useTitle(title: string): void {
  useEffect(() => {
    const count = /^\(\d+\) /.exec(document.title)?.[0] ?? '';
    document.title = `${count}${visibleString(title)} · Waystation`;
  }, [title]);
}

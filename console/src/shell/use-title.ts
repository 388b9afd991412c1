import { useEffect } from 'react';

/** The title of the tab, behind the count of what waits. */
export function useTitle(title: string): void {
  useEffect(() => {
    const count = /^\(\d+\) /.exec(document.title)?.[0] ?? '';
    document.title = `${count}${title} · Waystation`;
  }, [title]);
}

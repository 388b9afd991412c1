import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { showCard } from './show-card.js';

interface ToCardProps {
  /** Undefined until known. */
  place: string | undefined;
  className?: string;
  children: ReactNode;
}

/** Links to the card of a waiting item in this thread. */
export function ToCard({ place, className, children }: ToCardProps) {
  return (
    <Link
      to="."
      search={(now) => ({ ...now, at: place })}
      replace
      resetScroll={false}
      className={className}
      // Scrolls even if the address already names it.
      onClick={() => place !== undefined && showCard(place)}
    >
      {children}
    </Link>
  );
}

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { showCard } from './show-card.js';

interface ToCardProps {
  /** Undefined while it is not known. */
  place: string | undefined;
  className?: string;
  children: ReactNode;
}

/** Leads to the card of something that waits in this thread. */
export function ToCard({ place, className, children }: ToCardProps) {
  return (
    <Link
      to="."
      search={(now) => ({ ...now, at: place })}
      replace
      resetScroll={false}
      className={className}
      // Also where the address names it already.
      onClick={() => place !== undefined && showCard(place)}
    >
      {children}
    </Link>
  );
}

import type { ReactNode } from 'react';
import './view-head.css';

/** The title of a view, its state, and its actions. */
export function ViewHead({ title, state, children }: { title: ReactNode; state?: ReactNode; children?: ReactNode }) {
  return (
    <header className="page-head">
      <h1 className="cut">{title}</h1>
      {state}
      {children && <div className="acts">{children}</div>}
    </header>
  );
}

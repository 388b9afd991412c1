import type { ReactNode } from 'react';
import './figures.css';

/** Facts under their names: what people want to know at a glance. */
export function Figures({ items }: { items: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className="figures">
      {items.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

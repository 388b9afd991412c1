import { useNavigate } from '@tanstack/react-router';
import { formatCount } from '../../lib/format.js';
import { classes } from '../../ui/classes.js';
import { Button } from '../../ui/button.js';
import type { RunsSearch, Sort } from './runs-search.js';

const COLUMNS: { name: string; label: string; sort?: Sort; isNumber?: boolean }[] = [
  { name: 'id', label: 'Thread' },
  { name: 'state', label: 'Status' },
  { name: 'by', label: 'Agent' },
  { name: 'said', label: 'Last message' },
  { name: 'model', label: 'Model' },
  { name: 'duration', label: 'Duration', isNumber: true },
  { name: 'step', label: 'Step', isNumber: true },
  { name: 'tokens', label: 'Tokens', sort: 'total_tokens', isNumber: true },
  { name: 'cost', label: 'Cost of budget', sort: 'total_cost_usd', isNumber: true },
  { name: 'changed', label: 'Changed', sort: 'updated_at', isNumber: true },
];

/** The table's head, which stays in place while scrolling. */
export function RunsHead({ search }: { search: RunsSearch }) {
  const sorted = search.sort ?? 'updated_at';
  const direction = search.order === 'asc' ? 'ascending' : 'descending';
  return (
    <div role="rowgroup" className="runs-head">
      <div role="row" className="heads" aria-rowindex={1}>
        {COLUMNS.map(({ name, label, sort, isNumber }) => (
          <span
            key={name}
            role="columnheader"
            className={classes(name, isNumber && 'num')}
            aria-sort={sort && sort === sorted ? direction : undefined}
          >
            {sort ? <SortButton sort={sort} label={label} search={search} /> : label}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Says how many new threads are waiting, and shows them on a press. */
export function NewThreads({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div className="news" role="status">
      {count > 0 && (
        <Button kind="main" icon="up" onPress={onShow}>
          {`${formatCount(count)} new`}
        </Button>
      )}
    </div>
  );
}

/** Sorts by its column; a second press reverses the order. */
function SortButton({ sort, label, search }: { sort: Sort; label: string; search: RunsSearch }) {
  const navigate = useNavigate();
  const isSorted = (search.sort ?? 'updated_at') === sort;
  const turn = () => {
    const order = isSorted && search.order !== 'asc' ? ('asc' as const) : undefined;
    void navigate({ to: '/', search: { ...search, sort: sort === 'updated_at' ? undefined : sort, order } });
  };
  return (
    <Button kind="quiet" onPress={turn}>
      {label}
      <span aria-hidden="true" className="arrow">
        {isSorted ? (search.order === 'asc' ? '↑' : '↓') : ''}
      </span>
    </Button>
  );
}

import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { formatCount } from '../../lib/format.js';
import { useTitle } from '../../shell/use-title.js';
import { Button } from '../../ui/button.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { CancelAll } from './cancel-all.js';
import { RemoveExamples } from './example-data.js';
import { FirstStart } from './first-start.js';
import { Live } from './live.js';
import type { RunList } from './run-list.js';
import { RunsFilters } from './runs-filters.js';
import { isFiltered, withoutFilters, type RunsSearch } from './runs-search.js';
import { RunsStrip } from './runs-strip.js';
import { RunsTable } from './runs-table.js';
import { useFilterValues } from './use-filter-values.js';
import { useRunFeed } from './use-run-feed.js';
import { useTotal } from './use-total.js';
import './runs.css';

const route = getRouteApi('/');

/** All threads, live. */
export function RunsView() {
  useTitle('Threads');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { feed, list, state, version } = useRunFeed(search);
  const isEmpty = list.isLoaded && list.ids.length === 0;
  // In an empty list, nothing has a place to keep.
  useEffect(() => {
    if (isEmpty && list.isUnsettled) feed.settle();
  }, [feed, list, isEmpty, version]);
  const values = useFilterValues(list, version);
  const first = useFirstStart(isEmpty && !isFiltered(search));
  return (
    <>
      <header className="view-head">
        <h1>Threads</h1>
        <Live stream={state.stream} />
        <Total list={list} search={search} />
        <CancelAll list={list} search={search} />
      </header>
      {first.isShown && <FirstStart firstId={list.ids.at(-1)} onDone={first.close} />}
      {list.ids.length > 0 && <RemoveExamples />}
      {!(first.isShown && isEmpty) && (
        <RunsStrip
          version={version}
          onHour={(since, until) => void navigate({ search: { ...search, span: undefined, since, until } })}
        />
      )}
      {!(first.isShown && isEmpty) && <RunsFilters search={search} {...values} />}
      {!list.isLoaded && state.error === null && <Skeleton lines={9} />}
      {!list.isLoaded && state.error !== null && <Failure error={state.error} onRetry={() => feed.retry()} />}
      {list.ids.length > 0 && <RunsTable feed={feed} state={state} version={version} search={search} />}
      {isEmpty && !first.isShown && <NothingMatches search={search} />}
    </>
  );
}

/** Whether nothing was recorded when the view opened; the instructions then stay until they are closed. */
function useFirstStart(isNothingRecorded: boolean): { isShown: boolean; close: () => void } {
  const [isShown, setShown] = useState(false);
  if (isNothingRecorded && !isShown) setShown(true);
  return { isShown, close: () => setShown(false) };
}

function NothingMatches({ search }: { search: RunsSearch }) {
  const navigate = route.useNavigate();
  return (
    <div className="card">
      <Empty title="No thread matches these filters">
        <Button onPress={() => void navigate({ search: withoutFilters(search) })}>Clear filters</Button>
      </Empty>
    </div>
  );
}

function Total({ list, search }: { list: RunList; search: RunsSearch }) {
  const total = useTotal(list, search);
  if (total === undefined || total === 0) return null;
  return <span className="total">{total === 1 ? '1 thread' : `${formatCount(total)} threads`}</span>;
}

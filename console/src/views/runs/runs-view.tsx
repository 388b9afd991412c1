import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../shell/use-title.js';
import { Button } from '../../ui/button.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { Live } from './live.js';
import { isFiltered, withoutFilters } from './runs-search.js';
import { RunsFilters } from './runs-filters.js';
import { RunsTable } from './runs-table.js';
import { useFilterValues } from './use-filter-values.js';
import { useRunFeed } from './use-run-feed.js';
import './runs.css';

const route = getRouteApi('/');

/** All threads, live. */
export function RunsView() {
  useTitle('Runs');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { feed, list, state, version } = useRunFeed(search);
  return (
    <>
      <header className="view-head">
        <h1>Runs</h1>
        <Live stream={state.stream} />
      </header>
      <RunsFilters search={search} {...useFilterValues(list, version)} />
      {!list.isLoaded && (state.error === null ? <Skeleton lines={9} /> : <Failed feed={feed} error={state.error} />)}
      {list.isLoaded && list.ids.length > 0 && (
        <RunsTable feed={feed} state={state} version={version} search={search} />
      )}
      {list.isLoaded && list.ids.length === 0 && list.newCount === 0 && isFiltered(search) && (
        <div className="card">
          <Empty title="No thread matches these filters">
            <Button onPress={() => void navigate({ search: withoutFilters(search) })}>Clear filters</Button>
          </Empty>
        </div>
      )}
    </>
  );
}

function Failed({ feed, error }: { feed: ReturnType<typeof useRunFeed>['feed']; error: unknown }) {
  return <Failure error={error} onRetry={() => feed.retry()} />;
}

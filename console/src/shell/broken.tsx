import { Failure } from '../ui/states.js';

/** In place of a view that could not be drawn, or whose files are gone because the server was updated meanwhile. */
export function Broken({ error }: { error: unknown }) {
  return (
    <div className="broken">
      <Failure error={error} onRetry={() => location.reload()} />
    </div>
  );
}

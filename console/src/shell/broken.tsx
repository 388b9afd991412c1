import { Failure } from '../ui/states.js';

/** Replaces a view that could not be drawn, or whose files are gone because the server was updated. */
export function Broken({ error }: { error: unknown }) {
  return (
    <div className="broken">
      <Failure error={error} onRetry={() => location.reload()} />
    </div>
  );
}

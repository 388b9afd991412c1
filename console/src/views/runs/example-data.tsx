import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import { formatCount } from '../../lib/format.js';
import { mayManage, useSession } from '../../session/session.js';
import { Button } from '../../ui/button.js';
import { Failure } from '../../ui/states.js';

const KEY = ['example-data'];

/** Loads example threads, for those who may manage. @param onLoaded called once they are there */
export function LoadExamples({ onLoaded }: { onLoaded: () => void }) {
  const { isManager, examples, load } = useExamples();
  if (!isManager || !examples || examples.threads > 0) return null;
  return (
    <div className="examples-offer">
      <p className="say">Or look around first, in {formatCount(examples.available)} threads of five made-up agents:</p>
      <Button isDisabled={load.isPending} onPress={() => load.mutate(undefined, { onSuccess: onLoaded })}>
        {load.isPending ? 'Loading example data…' : 'Load example data'}
      </Button>
      {load.error && <Failure error={load.error} />}
    </div>
  );
}

/** Says that the list contains example data, and removes it. */
export function RemoveExamples() {
  const { isManager, examples, remove } = useExamples();
  if (!isManager || !examples || examples.threads === 0) return null;
  return (
    <div className="examples-note" role="group" aria-label="Example data">
      <p>{formatCount(examples.threads)} of these threads are example data.</p>
      <Button isDisabled={remove.isPending} onPress={() => remove.mutate()}>
        {remove.isPending ? 'Removing it…' : 'Remove it'}
      </Button>
      {remove.error && <Failure error={remove.error} />}
    </div>
  );
}

function useExamples() {
  const isManager = mayManage(useSession());
  const queries = useQueryClient();
  const { data: examples } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => read(api.GET('/v1/example-data', { signal })),
    staleTime: Infinity,
    retry: false,
    enabled: isManager,
  });
  const onSettled = () => queries.invalidateQueries({ queryKey: KEY });
  const load = useMutation({ mutationFn: () => read(api.POST('/v1/example-data')), onSettled });
  const remove = useMutation({ mutationFn: () => read(api.DELETE('/v1/example-data')), onSettled });
  return { isManager, examples, load, remove };
}

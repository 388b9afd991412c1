import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/states.js';

export function NotFound() {
  return (
    <Empty title="There is no such page">
      <Link to="/">Go to the threads</Link>
    </Empty>
  );
}

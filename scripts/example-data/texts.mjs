/** Agents' texts in the stories, in Markdown. */
export function migrationPlan() {
  return `Plan for **orders b71c2e9**:

1. Migration \`0042-split-shipments\` adds a column; no rewrite, about 2 s.
2. Rolling deployment, one instance at a time.
3. Roll back with \`deploy orders@v0.41.0\` if errors rise above 0.5%.

| step | risk | can be undone |
|---|---|---|
| migration | low: nullable column | yes |
| deployment | low: 1,204 tests pass | yes |`;
}

export const SLOW_QUERY = `The cause is migration **0041** (Tuesday 14:02): it dropped an index that checkout needs.

\`\`\`sql
EXPLAIN ANALYZE SELECT * FROM order_items WHERE order_id = 4711;
-- Seq Scan on order_items (actual time=8613.2..8613.4 rows=3)

CREATE INDEX CONCURRENTLY order_items_by_order ON order_items (order_id);
\`\`\`

With the index the query takes 0.4 ms on the replica. I have opened a pull request; *nothing is changed in production*.`;

const SUPPLIERS = [
  ['Norda', '212.40', '4 days', 'no'],
  ['Alpin & Co', '221.10', '2 days', 'yes'],
  ['Trekwell', '198.75', '9 days', 'no'],
];

export const REPORT = `# Three suppliers compared

## In short

**Alpin & Co** costs 4% more than the cheapest that is quick enough, delivers in two days, and takes returns. I recommend it.

| supplier | basket (EUR) | delivery | returns |
|---|---:|---|---|
${SUPPLIERS.map((row) => `| ${row.join(' | ')} |`).join('\n')}

## How I compared

- 60 items of the autumn list, prices without tax
- delivery to Leeds and Graz, median of the last 30 parcels
- conditions as of today

> Trekwell has announced lower prices for spring, without figures.

${SUPPLIERS.map(([name, sum, days]) => `## ${name}\n\n${`The basket costs ${sum} EUR and arrives after ${days}. `.repeat(8)}`).join('\n\n')}`;

export const REVIEW = `One finding:

- \`roundHalfEven(-0.5)\` returns **-0**. Add \`+ 0\`, or compare with \`Object.is\`.

\`\`\`ts
return sign * (whole + carry) + 0;
\`\`\`

Otherwise this is fine to merge.`;

export const DIFF = `--- a/src/money.ts
+++ b/src/money.ts
@@ -12,3 +12,3 @@
-  return Math.round(cents);
+  return roundHalfEven(cents);`;

export const FAILED_TEST = `FAIL test/money.spec.ts
  ● rounds -0.5 to -0
    expected 0, received -0`;

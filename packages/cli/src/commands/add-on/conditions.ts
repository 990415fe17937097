import type { AddOnOverview } from '@orrery/hub/operations'
import type { Condition } from '@orrery/kinds'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputFormat, show } from '../../shared/output.js'
import type { Column } from '../../shared/table.js'

interface Row extends Condition {
  readonly cluster: string
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'cluster', value: ({ cluster }) => cluster },
  { title: 'condition', value: ({ type }) => type },
  { title: 'status', value: ({ status }) => status },
  { title: 'reason', value: ({ reason }) => reason },
  { title: 'since', value: ({ lastTransitionTime }) => ageOf(lastTransitionTime) },
  { title: 'message', value: ({ message }) => message, wide: true },
]

/** Prints the conditions of an add-on on each cluster. */
export async function showConditions(
  output: OutputFormat,
  name: string,
  overviews: readonly AddOnOverview[],
): Promise<void> {
  const rows = overviews.flatMap(({ cluster, addOn }) =>
    (addOn.status?.conditions ?? []).map((condition) => ({ cluster, ...condition })),
  )
  await show(output, {
    rows,
    columns: COLUMNS,
    document: listOf(overviews.map(({ addOn }) => addOn)),
    empty:
      overviews.length === 0
        ? `The add-on ${name} is enabled on no cluster.`
        : `The add-on ${name} has no conditions yet.`,
  })
}

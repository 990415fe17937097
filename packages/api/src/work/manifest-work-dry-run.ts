import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { executor } from './executor.js'
import { manifestConfig } from './manifest-config.js'
import { resourceMeta } from './manifest-status.js'

/** The API group of kinds that Open Cluster Management does not have. */
export const DRY_RUN_GROUP = 'work.orrery.dev'

/** The condition of a ManifestWorkDryRun that is `True` as soon as its status lists the changes. */
export const DRY_RUN_COMPLETE = 'Complete'

const spec = t.object(
  {
    workload: t.object(
      { manifests: t.array(t.embedded(), { description: 'Manifests lists the objects to apply.' }) },
      { description: 'Workload lists the objects that a ManifestWork would apply.' },
    ),
    manifestConfigs: t.optional(
      t.array(manifestConfig, {
        description: 'ManifestConfigs holds the update strategy of each object, as in a ManifestWork.',
      }),
    ),
    executor: t.optional(executor),
  },
  { description: 'Spec describes the ManifestWork to run a dry run of.' },
)

const change = t.object(
  {
    resourceMeta,
    action: t.enum(['Create', 'Update', 'None', 'Unchecked', 'Refused'], {
      description:
        'Action is what applying the manifest does. Create and Update write the object. None leaves it as it is. ' +
        'Unchecked creates an object that needs a namespace or a kind from the same workload, so that no dry run is ' +
        'possible. Refused means that the manifest cannot be applied.',
    }),
    message: t.optional(t.string({ description: 'Message gives the reason for Unchecked and Refused.' })),
    warnings: t.optional(
      t.array(t.string(), {
        description: 'Warnings lists fields that another field manager owns and that applying the manifest changes.',
      }),
    ),
    before: t.optional(
      t.raw({
        description: 'Before is the object on the cluster. Values of Secrets are masked. Unset if it is absent.',
      }),
    ),
    after: t.optional(
      t.raw({
        description:
          'After is the object as the cluster would store it, with its defaults and admission applied. Values of Secrets ' +
          'are masked.',
      }),
    ),
  },
  { description: 'Change is the effect of one manifest.' },
)

const status = t.object(
  {
    conditions: t.optional(
      t.conditions({
        description:
          'Conditions describe the state of the dry run. Complete is True as soon as all changes are listed.',
      }),
    ),
    changes: t.optional(t.array(change, { description: 'Changes lists one entry for each manifest, in their order.' })),
  },
  { description: 'Status lists what applying the manifests would change on the cluster.' },
)

const definition = defineKind({
  group: DRY_RUN_GROUP,
  version: 'v1alpha1',
  kind: 'ManifestWorkDryRun',
  plural: 'manifestworkdryruns',
  scope: 'Namespaced',
  description:
    'ManifestWorkDryRun requests a server-side dry run of manifests on the managed cluster of its namespace. ' +
    'The agent reports the changes in the status and does not write the objects. The hub deletes the ' +
    'ManifestWorkDryRun ten minutes after its creation.',
  fields: { spec, status: t.optional(status) },
  statusSubresource: true,
  columns: [
    { name: 'Complete', type: 'string', jsonPath: '.status.conditions[?(@.type=="Complete")].status' },
    AGE_COLUMN,
  ],
})

export interface ManifestWorkDryRunSpec extends Read<typeof spec> {}
export interface ManifestWorkDryRunStatus extends Read<typeof status> {}
/** The effect of one manifest. */
export interface ManifestChange extends Read<typeof change> {}

/** A server-side dry run of a ManifestWork's manifests on a managed cluster. */
export interface ManifestWorkDryRun extends ObjectOf<typeof definition> {}
export interface NewManifestWorkDryRun extends DraftOf<typeof definition> {}
export const ManifestWorkDryRun: DefinedKind<ManifestWorkDryRun, NewManifestWorkDryRun> = definition

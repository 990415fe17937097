import { type Read, t } from '../schema/index.js'
import { resourceIdentifierFields } from './resource-identifier.js'

const orphaningRule = t.object(resourceIdentifierFields, {
  description: 'OrphaningRule refers to an object that is not deleted.',
})

/** The schema of the delete option of a work. */
export const deleteOption = t.object(
  {
    propagationPolicy: t.defaulted(
      t.enum(['Foreground', 'Orphan', 'SelectivelyOrphan'], {
        description:
          'PropagationPolicy describes what happens to the objects when the ManifestWork is deleted. Foreground ' +
          'deletes all objects. Orphan keeps all objects. SelectivelyOrphan keeps the objects in selectivelyOrphans ' +
          'and deletes the others. Defaults to Foreground.',
      }),
      'Foreground',
    ),
    selectivelyOrphans: t.optional(
      t.object(
        {
          orphaningRules: t.optional(
            t.array(orphaningRule, { description: 'OrphaningRules lists the objects to keep.' }),
          ),
        },
        {
          description:
            'SelectivelyOrphan lists the objects to keep. It is used if propagationPolicy is SelectivelyOrphan.',
        },
      ),
    ),
    ttlSecondsAfterFinished: t.optional(
      t.integer({
        description:
          'TTLSecondsAfterFinished is the time after which a completed ManifestWork is deleted. 0 deletes it at ' +
          'once. If unset, a completed ManifestWork is not deleted.',
        format: 'int64',
      }),
    ),
  },
  { description: 'DeleteOption describes what happens to the objects when the ManifestWork is deleted.' },
)

/** The delete option of a work. */
export interface DeleteOption extends Read<typeof deleteOption> {}
export interface OrphaningRule extends Read<typeof orphaningRule> {}

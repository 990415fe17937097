import { type Read, t } from '../schema/index.js'
import { resourceIdentifierFields } from './resource-identifier.js'

const orphaningRule = t.object(resourceIdentifierFields, { description: 'An object that is left alone.' })

/** The schema of what happens to the objects of a work when it goes. */
export const deleteOption = t.object(
  {
    propagationPolicy: t.defaulted(
      t.enum(['Foreground', 'Orphan', 'SelectivelyOrphan'], {
        description:
          'Foreground deletes the objects before the work is gone; Orphan leaves them alone; SelectivelyOrphan leaves ' +
          'alone those that are listed, and deletes the others.',
      }),
      'Foreground',
    ),
    selectivelyOrphans: t.optional(
      t.object(
        { orphaningRules: t.optional(t.array(orphaningRule, { description: 'The objects that are left alone.' })) },
        { description: 'For SelectivelyOrphan.' },
      ),
    ),
    ttlSecondsAfterFinished: t.optional(
      t.integer({
        description: 'How long after its completion the work is deleted; 0 means at once. Left out, never.',
        format: 'int64',
      }),
    ),
  },
  { description: 'What happens to the objects when the work is deleted.' },
)

/** What happens to the objects of a work when it is deleted. */
export interface DeleteOption extends Read<typeof deleteOption> {}
export interface OrphaningRule extends Read<typeof orphaningRule> {}

import { type Read, t } from '../schema/index.js'
import { WORK_FIELD_MANAGER } from './names.js'

const ignoreField = t.object(
  {
    condition: t.defaulted(
      t.enum(['OnSpokePresent', 'OnSpokeChange'], {
        description:
          'OnSpokePresent leaves the fields alone once the object is there; OnSpokeChange does so once somebody else ' +
          'has changed them.',
      }),
      'OnSpokePresent',
      { required: true },
    ),
    jsonPaths: t.optional(t.array(t.string(), { description: 'The fields, as JSONPaths.' })),
    jsonPointers: t.optional(t.array(t.string(), { description: 'The fields, as JSON pointers (RFC 6901).' })),
    jqPathExpressions: t.optional(t.array(t.string(), { description: 'The fields, as path expressions of jq.' })),
  },
  { description: 'Fields to leave alone.' },
)

const serverSideApply = t.object(
  {
    force: t.optional(t.boolean({ description: 'Take fields from whoever owns them.' })),
    fieldManager: t.defaulted(
      t.string({ description: 'Whom the fields are to belong to.', pattern: '^work-agent' }),
      WORK_FIELD_MANAGER,
    ),
    ignoreFields: t.optional(
      t.array(ignoreField, {
        description: 'Fields to leave alone.',
        listType: 'map',
        listMapKeys: ['condition'],
      }),
    ),
  },
  { description: 'For ServerSideApply.' },
)

/** The schema of how an object is kept up to date. */
export const updateStrategy = t.object(
  {
    type: t.defaulted(
      t.enum(['Update', 'CreateOnly', 'ServerSideApply', 'ReadOnly'], {
        description:
          'Update compares the object with the manifest and replaces it; CreateOnly leaves it alone once it is there; ' +
          'ServerSideApply lets the API server of the cluster merge; ReadOnly only looks at it.',
      }),
      'Update',
      { required: true },
    ),
    serverSideApply: t.optional(serverSideApply),
  },
  { description: 'How the object is kept up to date.' },
)

/** How an object is kept up to date. */
export interface UpdateStrategy extends Read<typeof updateStrategy> {}
export type UpdateStrategyType = UpdateStrategy['type']
export interface ServerSideApplyConfig extends Read<typeof serverSideApply> {}
export interface IgnoreField extends Read<typeof ignoreField> {}

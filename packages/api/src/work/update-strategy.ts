import { type Read, t } from '../schema/index.js'
import { WORK_FIELD_MANAGER } from './names.js'

const ignoreField = t.object(
  {
    condition: t.defaulted(
      t.enum(['OnSpokePresent', 'OnSpokeChange'], {
        description:
          'Condition is when the fields are ignored. OnSpokePresent ignores them if the object exists. ' +
          'OnSpokeChange ignores them if another field manager has changed them.',
      }),
      'OnSpokePresent',
      { required: true },
    ),
    jsonPaths: t.optional(
      t.array(t.string(), { description: 'JSONPaths lists the ignored fields as JSONPath expressions.' }),
    ),
    jsonPointers: t.optional(
      t.array(t.string(), { description: 'JSONPointers lists the ignored fields as JSON pointers (RFC 6901).' }),
    ),
    jqPathExpressions: t.optional(
      t.array(t.string(), { description: 'JqPathExpressions lists the ignored fields as jq path expressions.' }),
    ),
  },
  { description: 'IgnoreFields lists fields that the agent does not apply.' },
)

const serverSideApply = t.object(
  {
    force: t.optional(
      t.boolean({
        description:
          'Force takes over fields that other field managers own. If false, a conflict is reported in the condition ' +
          'Applied. Defaults to false.',
      }),
    ),
    fieldManager: t.defaulted(
      t.string({
        description:
          'FieldManager is the field manager of the applied fields. It must begin with work-agent. Defaults to ' +
          'work-agent.',
        pattern: '^work-agent',
      }),
      WORK_FIELD_MANAGER,
    ),
    ignoreFields: t.optional(
      t.array(ignoreField, {
        description: 'IgnoreFields lists fields that the agent does not apply.',
        listType: 'map',
        listMapKeys: ['condition'],
      }),
    ),
  },
  { description: 'ServerSideApply configures server-side apply. It is used if type is ServerSideApply.' },
)

/** The schema of the update strategy of an object. */
export const updateStrategy = t.object(
  {
    type: t.defaulted(
      t.enum(['Update', 'CreateOnly', 'ServerSideApply', 'ReadOnly'], {
        description:
          'Type is the way to apply the manifest. Update updates the object if it differs from the manifest. ' +
          'CreateOnly creates the object and does not update it. ServerSideApply uses server-side apply. ReadOnly ' +
          'does not write the object and reports its status only. Defaults to Update.',
      }),
      'Update',
      { required: true },
    ),
    serverSideApply: t.optional(serverSideApply),
  },
  { description: 'UpdateStrategy describes how the object is applied.' },
)

/** The update strategy of an object. */
export interface UpdateStrategy extends Read<typeof updateStrategy> {}
export type UpdateStrategyType = UpdateStrategy['type']
export interface ServerSideApplyConfig extends Read<typeof serverSideApply> {}
export interface IgnoreField extends Read<typeof ignoreField> {}

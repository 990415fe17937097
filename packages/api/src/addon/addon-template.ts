import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type New, type Read, t } from '../schema/index.js'
import { manifestWorkSpec } from '../work/manifest-work.js'
import { ADDON_GROUP } from './names.js'
import { templateRegistration } from './template-registration.js'

const spec = t.object(
  {
    addonName: t.string({ description: 'AddonName is the name of the add-on.' }),
    agentSpec: t.described(
      manifestWorkSpec,
      'AgentSpec is the spec of the ManifestWork of the agent. Variables such as `{{CLUSTER_NAME}}` are expanded.',
    ),
    registration: t.optional(
      t.array(templateRegistration, {
        description: 'Registration lists the credentials that the agent of the add-on gets.',
      }),
    ),
  },
  { description: 'Spec describes the manifests and the registration of the add-on.' },
)

const definition = defineKind({
  group: ADDON_GROUP,
  version: 'v1alpha1',
  kind: 'AddOnTemplate',
  plural: 'addontemplates',
  scope: 'Cluster',
  description:
    'AddOnTemplate defines an add-on without a controller on the hub: the manifests of its agent and its ' +
    'permissions on the hub.',
  fields: { spec },
  columns: [{ name: 'ADDON NAME', type: 'string', jsonPath: '.spec.addonName' }],
})

export interface AddOnTemplateSpec extends Read<typeof spec> {}
export interface NewAddOnTemplateSpec extends New<typeof spec> {}

/** An add-on without a controller on the hub. */
export interface AddOnTemplate extends ObjectOf<typeof definition> {}
export interface NewAddOnTemplate extends DraftOf<typeof definition> {}
export const AddOnTemplate: DefinedKind<AddOnTemplate, NewAddOnTemplate> = definition

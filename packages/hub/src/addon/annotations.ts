import { ADDON_NAMESPACE, INSTALL_NAMESPACE_ANNOTATION, ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { type ControllerSpec, each, isBeingDeleted } from '@orrery/kube'
import type { Predicate } from '@orrery/kube/controller'
import { semanticEqual } from '@orrery/kube/write'
import type { HubContext } from '../context.js'
import { type AddOnInformers, isInstalledByPlacement } from './addon-informers.js'
import { ADDON_INSTALL_MANAGER, addOnAnnotations, appliedAddOn } from './applied-addon.js'

const addOnAnnotationsChanged: Predicate<ManagedCluster> = ({ before, after }) =>
  !semanticEqual(before && addOnAnnotations(before), after && addOnAnnotations(after))

/** Copies annotations for add-ons from a cluster to those of its add-ons that placements install. */
export function addOnAnnotationSync(context: HubContext, informers: AddOnInformers): ControllerSpec {
  const { client } = context
  const { addOns } = informers
  const clusters = context.informers.of(ManagedCluster)
  return {
    name: 'addon-annotations',
    concurrency: 4,
    wakes: [
      each(clusters, ({ metadata }) => addOns.list(metadata.name).map((addOn) => addOn.metadata), {
        when: addOnAnnotationsChanged,
      }),
      each(addOns, undefined, { when: ({ type }) => type === 'added' }),
    ],
    async reconcile(ref, { signal }) {
      const addOn = addOns.get(ref)
      const definition = informers.managedDefinition(ref.name)
      const cluster = clusters.get({ name: ref.namespace ?? '' })
      if (addOn === undefined || definition === undefined || cluster === undefined) return
      if (isBeingDeleted(addOn) || !isInstalledByPlacement(definition)) return
      if (semanticEqual(copiedTo(addOn), addOnAnnotations(cluster))) return
      const wanted = appliedAddOn(definition, cluster)
      // With its uid, an add-on that was deleted meanwhile is not created again.
      const metadata = { ...wanted.metadata, uid: addOn.metadata.uid }
      const options = { fieldManager: ADDON_INSTALL_MANAGER, force: true, signal }
      await client.apply(ManagedClusterAddOn, { ...wanted, metadata }, options)
    },
  }
}

/** The annotations of an add-on that may be copies. All add-ons have the default of the field that v1alpha1 has for it. */
function copiedTo(addOn: ManagedClusterAddOn): Record<string, string> {
  const { [INSTALL_NAMESPACE_ANNOTATION]: installNamespace, ...others } = addOnAnnotations(addOn)
  return installNamespace === undefined || installNamespace === ADDON_NAMESPACE
    ? others
    : { ...others, [INSTALL_NAMESPACE_ANNOTATION]: installNamespace }
}

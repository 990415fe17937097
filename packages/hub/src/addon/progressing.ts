import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE_LABEL,
  AddOnCondition,
  AddOnReason,
  HOSTING_CLUSTER_ANNOTATION,
  ManagedClusterAddOn,
  ManifestWork,
} from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { findCondition, jsonEqual, keyOf, setConditions } from '@orrery/kinds/values'
import { type ControllerSpec, each, generationChanged, writeStatus } from '@orrery/kube'
import { annotationsChanged, anyOf, conditionChanged, labelsChanged, type Predicate } from '@orrery/kube/controller'
import type { HubContext } from '../context.js'
import type { AddOnInformers } from './addon-informers.js'
import { progressOfWorks } from './works-progress.js'

const BY_ADDON = 'worksOfAddOn'

const { HostingManifestApplied, ManifestApplied } = AddOnCondition

const configsChanged: Predicate<ManagedClusterAddOn> = ({ before, after }) =>
  !jsonEqual(before?.status?.configReferences, after?.status?.configReferences) ||
  !jsonEqual(before?.status?.supportedConfigs, after?.status?.supportedConfigs)

const progressChanged: Predicate<ManagedClusterAddOn> = ({ before, after }) =>
  !jsonEqual(
    findCondition(before?.status?.conditions, AddOnCondition.Progressing),
    findCondition(after?.status?.conditions, AddOnCondition.Progressing),
  )

const conditionsChanged: Predicate<ManifestWork> = ({ before, after }) =>
  !jsonEqual(before?.status?.conditions, after?.status?.conditions)

/** Reports whether the works of an add-on have its configurations, and records those that were applied. */
export function addOnProgressing(
  { client, clock, informers }: HubContext,
  addOnInformers: AddOnInformers,
): ControllerSpec {
  const { addOns, definitions } = addOnInformers
  const works = informers.of(ManifestWork, { labelSelector: ADDON_NAME_LABEL })
  works.addIndex(BY_ADDON, (work) => [keyOf(addOnOf(work))])

  /** The works on the managed cluster, and those on its hosting cluster. */
  function worksOf({ metadata }: ManagedClusterAddOn): ManifestWork[] {
    const hostingCluster = metadata.annotations?.[HOSTING_CLUSTER_ANNOTATION] ?? ''
    return works.byIndex(BY_ADDON, keyOf(metadata)).filter((work) => {
      const isHosted = (work.metadata.labels?.[ADDON_NAMESPACE_LABEL] ?? '') !== ''
      return work.metadata.namespace === (isHosted ? hostingCluster : metadata.namespace)
    })
  }

  return {
    name: 'addon-progressing',
    concurrency: 10,
    wakes: [
      each(addOns, undefined, {
        when: anyOf<ManagedClusterAddOn>(
          generationChanged,
          annotationsChanged,
          conditionChanged(ManifestApplied, HostingManifestApplied),
          configsChanged,
          progressChanged,
        ),
      }),
      each(definitions, addOnInformers.ofDefinition, { when: annotationsChanged }),
      each(works, addOnOf, {
        when: anyOf<ManifestWork>(generationChanged, labelsChanged, annotationsChanged, conditionsChanged),
      }),
    ],
    async reconcile(ref, { signal }) {
      const addOn = addOns.get(ref)
      if (addOn === undefined || addOnInformers.managedDefinition(ref.name) === undefined) return
      const now = clock.now()
      const statusOf = (current: ManagedClusterAddOn) => {
        const finding = progressOfWorks(current, worksOf(current))
        const conditions = setConditions(current.status?.conditions, [finding], now)
        if (finding.reason !== AddOnReason.Completed) return { ...current.status, conditions }
        const configReferences = current.status?.configReferences?.map((reference) => {
          const { desiredConfig } = reference
          return desiredConfig === undefined ? reference : { ...reference, lastAppliedConfig: desiredConfig }
        })
        return { ...current.status, conditions, ...(configReferences !== undefined && { configReferences }) }
      }
      await writeStatus(client, ManagedClusterAddOn, addOn, statusOf, { signal })
    },
  }
}

/** The add-on of a work. The work of a hosted add-on is in the namespace of the hosting cluster. */
function addOnOf({ metadata }: ManifestWork): ObjectRef & { readonly namespace: string } {
  const name = metadata.labels?.[ADDON_NAME_LABEL] ?? ''
  return { namespace: metadata.labels?.[ADDON_NAMESPACE_LABEL] || metadata.namespace, name }
}

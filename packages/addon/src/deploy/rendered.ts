import { MANIFEST_LOCATION_ANNOTATION, ManifestLocation, PRE_DELETE_ANNOTATION } from '@orrery/api'
import type { InstallMode, Manifest } from '../agent-addon.js'

/** The manifests for one cluster. */
export interface ClusterManifests {
  readonly deploy: readonly Manifest[]
  /** The pre-delete hooks: they run when the add-on is deleted. */
  readonly hooks: readonly Manifest[]
}

/** The manifests of an add-on by the cluster they are for. */
export interface Rendered {
  readonly managed: ClusterManifests
  readonly hosting: ClusterManifests
}

/**
 * Sorts manifests by cluster. Only an add-on that can be hosted has locations, and without a hosting cluster all manifests are
 * for the managed cluster.
 */
export function renderedFor(manifests: readonly Manifest[], install: InstallMode, canBeHosted: boolean): Rendered {
  const { Managed, Hosting } = ManifestLocation
  const located = manifests.map((manifest) => {
    const location = canBeHosted ? locationOf(manifest) : Managed
    return { manifest, location: install.mode === 'Hosted' ? location : Managed }
  })
  const at = (wanted: ManifestLocation) => {
    const here = located.filter(({ location }) => location === wanted).map(({ manifest }) => manifest)
    return { deploy: here.filter((manifest) => !isHook(manifest)), hooks: here.filter(isHook) }
  }
  return { managed: at(Managed), hosting: at(Hosting) }
}

const LOCATIONS: readonly string[] = Object.values(ManifestLocation)

/** The annotation, or the deprecated label of the same key. */
function locationOf({ metadata }: Manifest): ManifestLocation {
  const { annotations, labels } = metadata
  const location = annotations?.[MANIFEST_LOCATION_ANNOTATION] || labels?.[MANIFEST_LOCATION_ANNOTATION]
  if (location === undefined || location === '') return ManifestLocation.Managed
  if (!LOCATIONS.includes(location)) throw new Error(`not supported manifest location: ${location}`)
  return location as ManifestLocation
}

/** A Job or Pod with the annotation, or with the deprecated label of the same key. */
function isHook({ kind, metadata: { annotations = {}, labels = {} } }: Manifest): boolean {
  const isMarked = Object.hasOwn(annotations, PRE_DELETE_ANNOTATION) || Object.hasOwn(labels, PRE_DELETE_ANNOTATION)
  return isMarked && (kind === 'Job' || kind === 'Pod')
}

/** One object of every kind and more, as users and agents write them. */
export const SAMPLES = `
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: west-1
  labels: { vendor: Kind, region: west }
spec:
  hubAcceptsClient: true
  leaseDurationSeconds: 30
  managedClusterClientConfigs:
    - url: https://west-1.example.com:6443
      caBundle: LS0tLS1CRUdJTg==
  taints:
    - { key: example.com/gpu, value: "true", effect: NoSelectIfNew, timeAdded: null }
status:
  conditions:
    - type: ManagedClusterConditionAvailable
      status: "True"
      reason: ManagedClusterAvailable
      message: The API server of the cluster answers
      lastTransitionTime: "2026-01-31T12:00:00Z"
  capacity: { cpu: "24", memory: 65645392Ki, pods: 110 }
  allocatable: { cpu: 23500m, memory: 60Gi }
  version: { kubernetes: v1.33.1 }
  clusterClaims:
    - { name: id.k8s.io, value: west-1 }
    - { name: basic-addon.k8s-version, value: v1.33.1 }
  managedNamespaces:
    - name: team-a
      clusterSet: default
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata: { name: default }
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata: { name: global }
spec:
  clusterSelector:
    selectorType: LabelSelector
    labelSelector: {}
  managedNamespaces: [{ name: team-a }, { name: team-b }]
status:
  conditions:
    - type: ClusterSetEmpty
      status: "False"
      reason: ClustersSelected
      message: 1 ManagedClusters selected
      lastTransitionTime: "2026-01-31T12:00:00Z"
      observedGeneration: 1
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata: { name: global, namespace: default }
spec: { clusterSet: global }
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: { name: by-addon-score, namespace: default }
spec:
  prioritizerPolicy:
    configurations:
      - scoreCoordinate:
          type: AddOn
          addOn:
            resourceName: basic-addon-score
            scoreName: podCount
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: { name: everything-at-once, namespace: default }
spec:
  clusterSets: [global]
  numberOfClusters: 3
  predicates:
    - requiredClusterSelector:
        labelSelector:
          matchLabels: { vendor: Kind }
        claimSelector:
          matchExpressions:
            - { key: basic-addon.k8s-version, operator: Exists }
        celSelector:
          celExpressions: ["managedCluster.status.version.kubernetes != ''"]
  prioritizerPolicy:
    mode: Exact
    configurations:
      - scoreCoordinate: { builtIn: ResourceAllocatableMemory }
        weight: -3
  spreadPolicy:
    spreadConstraints:
      - { topologyKey: region, topologyKeyType: Label, maxSkew: 2, whenUnsatisfiable: DoNotSchedule }
  tolerations:
    - { key: example.com/gpu, operator: Exists, tolerationSeconds: 300 }
  decisionStrategy:
    groupStrategy:
      clustersPerDecisionGroup: 2
      decisionGroups:
        - groupName: canary
          groupClusterSelector: { labelSelector: { matchLabels: { region: west } } }
  sortBy: Score
  scoreRateLimit: 30s
status:
  numberOfSelectedClusters: 1
  decisionGroups:
    - { decisionGroupIndex: 0, decisionGroupName: canary, decisions: [everything-at-once-decision-1], clusterCount: 1 }
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata:
  name: everything-at-once-decision-1
  namespace: default
  labels:
    cluster.open-cluster-management.io/placement: everything-at-once
    cluster.open-cluster-management.io/decision-group-index: "0"
status:
  decisions:
    - { clusterName: west-1, reason: "", score: 120 }
---
apiVersion: cluster.orrery.dev/v1alpha1
kind: PlacementFailover
metadata: { name: everything-at-once, namespace: default }
spec:
  placementRef: { name: everything-at-once }
  score: { addOn: { resourceName: basic-addon-score, scoreName: podCount } }
  leaveBelow: 40
  leaveAfter: 90s
  returnAbove: 60
  returnAfter: 1h30m
  minClusters: 2
  maxMoves: 3
  moveInterval: 10m
  missingScore: Failing
status:
  observedGeneration: 1
  numberOfExcludedClusters: 1
  excluded:
    - { clusterName: west-1, since: "2026-01-31T18:31:39Z", reason: The score was 12 for 90s }
  pending:
    - { clusterName: west-2, move: Leave, since: "2026-01-31T18:32:39Z" }
  recentMoves:
    - { clusterName: west-1, move: Leave, time: "2026-01-31T18:31:39Z" }
---
apiVersion: cluster.open-cluster-management.io/v1alpha1
kind: AddOnPlacementScore
metadata: { name: basic-addon-score, namespace: default }
status:
  scores:
    - { name: namespaceCount, value: 12 }
    - { name: podCount, value: 87 }
  validUntil: "2026-01-31T13:00:00Z"
---
apiVersion: cluster.open-cluster-management.io/v1alpha1
kind: ManagedClusterScore
metadata: { name: cluster1-resourceratiocpu, namespace: default }
status:
  conditions:
    - type: ManagedClusterScoreUpdated
      status: "True"
      reason: ManagedClusterScoreUpdated
      message: The score is up to date
      lastTransitionTime: "2026-01-30T08:31:39Z"
      lastUpdateTime: "2026-01-31T18:31:39Z"
  score: 74
---
apiVersion: cluster.open-cluster-management.io/v1alpha1
kind: ClusterClaim
metadata: { name: basic-addon.k8s-version }
spec: { value: v1.33.1 }
---
apiVersion: about.k8s.io/v1alpha1
kind: ClusterProperty
metadata: { name: cluster.clusterset.k8s.io }
spec: { value: west-1 }
---
apiVersion: multicluster.x-k8s.io/v1alpha1
kind: ClusterProfile
metadata: { name: west-1, namespace: default }
spec:
  displayName: West 1
  clusterManager: { name: open-cluster-management }
status:
  version: { kubernetes: v1.33.1 }
  properties:
    - { name: id.k8s.io, value: west-1 }
  accessProviders:
    - name: secretreader
      cluster:
        server: https://west-1.example.com:6443
        certificate-authority-data: LS0tLS1CRUdJTg==
        extensions:
          - name: client.authentication.k8s.io/exec
            extension: { clusterName: west-1 }
---
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: { name: agent, namespace: default }
spec:
  workload:
    manifests:
      - apiVersion: apps/v1
        kind: Deployment
        metadata: { name: basic-addon-agent, namespace: addons }
        spec: { replicas: 1, anything: { goes: [1, 2.5, null] } }
      - apiVersion: hypershift.openshift.io/v1beta1
        kind: HostedCluster
        metadata: { name: hosted, namespace: clusters, creationTimestamp: null }
        spec: { release: { image: quay.io/example/release:4.18 } }
  deleteOption:
    propagationPolicy: SelectivelyOrphan
    selectivelyOrphans:
      orphaningRules:
        - { group: apps, resource: deployments, name: basic-addon-agent, namespace: addons }
    ttlSecondsAfterFinished: 0
  executor:
    subject:
      type: ServiceAccount
      serviceAccount: { namespace: addons, name: applier }
  manifestConfigs:
    - resourceIdentifier: { group: apps, resource: deployments, name: "basic-*", namespace: addons }
      feedbackScrapeType: Watch
      feedbackRules:
        - type: WellKnownStatus
        - type: JSONPaths
          jsonPaths:
            - { name: readyReplicas, path: .status.readyReplicas }
            - { name: availableReplicas, path: .status.availableReplicas, version: v1 }
      updateStrategy:
        type: ServerSideApply
        serverSideApply:
          force: true
          fieldManager: work-agent-addons
          ignoreFields:
            - { condition: OnSpokeChange, jsonPointers: [/spec/replicas] }
            - { jqPathExpressions: [".spec.template"] }
      conditionRules:
        - condition: Progressing
          type: CEL
          celExpressions: ["object.status.readyReplicas < object.spec.replicas"]
          messageExpression: "result ? 'not all pods are ready' : 'all pods are ready'"
        - { condition: Complete, type: WellKnownConditions }
status:
  conditions:
    - type: Applied
      status: "True"
      reason: AppliedManifestWorkComplete
      message: All manifests have been applied
      lastTransitionTime: "2026-01-31T12:00:00Z"
      observedGeneration: 1
  resourceStatus:
    manifests:
      - resourceMeta:
          ordinal: 0
          group: apps
          version: v1
          kind: Deployment
          resource: deployments
          name: basic-addon-agent
          namespace: addons
        statusFeedback:
          values:
            - { name: readyReplicas, fieldValue: { type: Integer, integer: 1 } }
            - { name: phase, fieldValue: { type: String, string: Running } }
            - { name: paused, fieldValue: { type: Boolean, boolean: false } }
            - { name: conditions, fieldValue: { type: JsonRaw, jsonRaw: "[]" } }
        conditions: []
---
apiVersion: work.open-cluster-management.io/v1
kind: AppliedManifestWork
metadata: { name: 5f3c-agent }
spec: { hubHash: 5f3c, agentID: 5f3c, manifestWorkName: agent }
status:
  appliedResources:
    - { group: apps, version: v1, resource: deployments, name: basic-addon-agent, namespace: addons, uid: 6a7b }
    - { version: v1, resource: namespaces, name: addons }
  evictionStartTime: "2026-01-31T12:00:00Z"
---
apiVersion: work.open-cluster-management.io/v1alpha1
kind: ManifestWorkReplicaSet
metadata: { name: everywhere, namespace: default }
spec:
  cascadeDeletionPolicy: Foreground
  placementRefs:
    - name: everything-at-once
    - name: by-addon-score
      rolloutStrategy:
        type: Progressive
        progressive:
          mandatoryDecisionGroups: [{ groupName: canary }, { groupIndex: 1 }]
          maxConcurrency: 25%
          maxFailures: 1
          minSuccessTime: 5m
          progressDeadline: 1h
  manifestWorkTemplate:
    workload:
      manifests:
        - { apiVersion: v1, kind: ConfigMap, metadata: { name: greeting, namespace: default }, data: { hello: world } }
status:
  summary: { total: 1, applied: 1, available: 0 }
  placementSummary:
    - { name: everything-at-once, availableDecisionGroups: 1 (1 / 1 clusters applied), summary: { total: 1 } }
`

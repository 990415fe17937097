package main

import (
	"context"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func leaderChecks(s *suite) {
	s.check("one of two candidates leads", func(ctx context.Context) error { return s.takeOver(ctx, "released", true) })
	s.check("a dead leader is replaced when its lease runs out", func(ctx context.Context) error { return s.takeOver(ctx, "expired", false) })
}

func (s *suite) takeOver(ctx context.Context, name string, release bool) error {
	var leading atomic.Int32
	firstCtx, stopFirst := context.WithCancel(ctx)
	defer stopFirst()
	first, second := make(chan struct{}), make(chan struct{})
	s.campaign(firstCtx, name, "first", release, &leading, first)
	select {
	case <-first:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.campaign(ctx, name, "second", release, &leading, second)
	if err := eventually(ctx, "renewals", func(ctx context.Context) (bool, error) {
		lease, err := s.client.CoordinationV1().Leases(s.namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && lease.Spec.RenewTime.After(lease.Spec.AcquireTime.Time), err
	}); err != nil {
		return err
	}
	if err := equal("leaders", leading.Load(), int32(1)); err != nil {
		return err
	}
	stopFirst()
	select {
	case <-second:
	case <-ctx.Done():
		return ctx.Err()
	}
	lease, err := s.client.CoordinationV1().Leases(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return all(holder(lease, "second"), equal("transitions", *lease.Spec.LeaseTransitions, int32(1)))
}

func holder(lease *coordinationv1.Lease, want string) error {
	return equal("holder", *lease.Spec.HolderIdentity, want)
}

func (s *suite) campaign(ctx context.Context, lock, identity string, release bool, leading *atomic.Int32, started chan struct{}) {
	client := kubernetes.NewForConfigOrDie(protobuf(s.config))
	go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: lock, Namespace: s.namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration:   2 * time.Second,
		RenewDeadline:   1500 * time.Millisecond,
		RetryPeriod:     200 * time.Millisecond,
		ReleaseOnCancel: release,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				leading.Add(1)
				close(started)
			},
			OnStoppedLeading: func() { leading.Add(-1) },
		},
	})
}

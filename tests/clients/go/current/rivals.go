package main

import (
	"context"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const rivalLock = "rivals"

// rivalChecks competes with a candidate in the program that runs this one.
func rivalChecks(s *suite) {
	s.namespace = "default"
	var leading atomic.Int32
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	started := make(chan struct{})
	s.check("another's leadership is respected while it is renewed", func(checkCtx context.Context) error {
		if err := s.ask("lead"); err != nil {
			return err
		}
		s.campaign(ctx, rivalLock, "go", true, &leading, started)
		if err := eventually(checkCtx, "renewals", func(ctx context.Context) (bool, error) {
			lease, err := s.rivalLease(ctx)
			return err == nil && lease.Spec.RenewTime.Sub(lease.Spec.AcquireTime.Time) > 3*time.Second, err
		}); err != nil {
			return err
		}
		return equal("leaders here", leading.Load(), int32(0))
	})
	s.check("it takes over when the other steps down", func(checkCtx context.Context) error {
		return all(s.ask("release"), s.leads(checkCtx, started, 1))
	})
	s.check("the other takes over when it steps down", func(checkCtx context.Context) error {
		if err := s.ask("stand"); err != nil {
			return err
		}
		stop()
		if err := s.ask("win"); err != nil {
			return err
		}
		lease, err := s.rivalLease(checkCtx)
		if err != nil {
			return err
		}
		return all(holder(lease, "orrery"), equal("transitions", *lease.Spec.LeaseTransitions, int32(2)))
	})
	s.check("it takes over when the other is cut off, not before that has stopped", func(checkCtx context.Context) error {
		again := make(chan struct{})
		s.campaign(checkCtx, rivalLock, "go again", true, &leading, again)
		return all(s.ask("cut"), s.leads(checkCtx, again, 3), s.ask("lost"))
	})
}

func (s *suite) leads(ctx context.Context, started chan struct{}, transitions int32) error {
	select {
	case <-started:
	case <-ctx.Done():
		return ctx.Err()
	}
	lease, err := s.rivalLease(ctx)
	if err != nil {
		return err
	}
	return equal("transitions", *lease.Spec.LeaseTransitions, transitions)
}

func (s *suite) rivalLease(ctx context.Context) (*coordinationv1.Lease, error) {
	return s.client.CoordinationV1().Leases(s.namespace).Get(ctx, rivalLock, metav1.GetOptions{})
}

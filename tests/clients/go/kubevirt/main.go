// A program on KubeVirt's own client library. It manages virtual machines of the cluster in the kubeconfig and prints
// a line for each step. It exits with 1 at the first one that fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"kubevirt.io/client-go/kubecli"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

const (
	namespace = "default"
	patience  = 60 * time.Second
)

type suite struct {
	client kubecli.KubevirtClient
	ctx    context.Context
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the kubeconfig of the cluster")
	flag.Parse()
	client, err := kubecli.GetKubevirtClientFromFlags("", *kubeconfig)
	if err != nil {
		fail("connect", err)
	}
	s := suite{client: client, ctx: context.Background()}
	steps := []struct {
		name string
		run  func() error
	}{
		{"create", s.create},
		{"list", s.list},
		{"start and watch", s.start},
		{"instance", s.instance},
		{"guest information", s.guest},
		{"pause and unpause", s.pause},
		{"reboot, reset and freeze", s.reboot},
		{"refusals", s.refusals},
		{"restart", s.restart},
		{"stop", s.stop},
		{"data volume", s.dataVolume},
		{"delete", s.remove},
	}
	for _, step := range steps {
		if err := step.run(); err != nil {
			fail(step.name, err)
		}
		fmt.Printf("ok: %s\n", step.name)
	}
}

func fail(step string, err error) {
	fmt.Fprintf(os.Stderr, "failed: %s: %v\n", step, err)
	os.Exit(1)
}

func machine(name string, strategy kubevirtv1.VirtualMachineRunStrategy) *kubevirtv1.VirtualMachine {
	memory := resource.MustParse("512Mi")
	spec := kubevirtv1.VirtualMachineInstanceSpec{
		Domain: kubevirtv1.DomainSpec{
			CPU:    &kubevirtv1.CPU{Cores: 2},
			Memory: &kubevirtv1.Memory{Guest: &memory},
			Devices: kubevirtv1.Devices{
				Disks: []kubevirtv1.Disk{{
					Name:       "root",
					DiskDevice: kubevirtv1.DiskDevice{Disk: &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBusVirtio}},
				}},
				Interfaces: []kubevirtv1.Interface{*kubevirtv1.DefaultMasqueradeNetworkInterface()},
			},
		},
		Networks: []kubevirtv1.Network{*kubevirtv1.DefaultPodNetwork()},
		Volumes: []kubevirtv1.Volume{{
			Name: "root",
			VolumeSource: kubevirtv1.VolumeSource{
				ContainerDisk: &kubevirtv1.ContainerDiskSource{Image: "quay.io/containerdisks/fedora:latest"},
			},
		}},
	}
	return &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"suite": "kubevirt"}},
		Spec: kubevirtv1.VirtualMachineSpec{
			RunStrategy: &strategy,
			Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"suite": "kubevirt"}},
				Spec:       spec,
			},
		},
	}
}

func (s suite) create() error {
	created, err := s.client.VirtualMachine(namespace).Create(s.ctx, machine("fedora", kubevirtv1.RunStrategyHalted), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if created.Spec.Template.Spec.Domain.Machine == nil {
		return errors.New("the machine type has no default")
	}
	invalid := machine("invalid", kubevirtv1.RunStrategyHalted)
	invalid.Spec.Template.Spec.Volumes = nil
	_, err = s.client.VirtualMachine(namespace).Create(s.ctx, invalid, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("a disk without a volume was accepted: %v", err)
	}
	_, err = s.until("fedora", kubevirtv1.VirtualMachineStatusStopped)
	return err
}

func (s suite) list() error {
	list, err := s.client.VirtualMachine(namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "suite=kubevirt"})
	if err != nil {
		return err
	}
	if len(list.Items) != 1 || list.Items[0].Name != "fedora" {
		return fmt.Errorf("%d virtual machines", len(list.Items))
	}
	return nil
}

func (s suite) start() error {
	watcher, err := s.client.VirtualMachine(namespace).Watch(s.ctx, metav1.ListOptions{LabelSelector: "suite=kubevirt"})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	if err := s.client.VirtualMachine(namespace).Start(s.ctx, "fedora", &kubevirtv1.StartOptions{}); err != nil {
		return err
	}
	seen := map[kubevirtv1.VirtualMachinePrintableStatus]bool{}
	timeout := time.After(patience)
	for !seen[kubevirtv1.VirtualMachineStatusRunning] {
		select {
		case event, open := <-watcher.ResultChan():
			if !open || event.Type == watch.Error {
				return errors.New("the watch ended")
			}
			if vm, is := event.Object.(*kubevirtv1.VirtualMachine); is {
				seen[vm.Status.PrintableStatus] = true
			}
		case <-timeout:
			return fmt.Errorf("the watch showed only %v", seen)
		}
	}
	if !seen[kubevirtv1.VirtualMachineStatusStarting] {
		return fmt.Errorf("the watch showed only %v", seen)
	}
	return nil
}

func (s suite) instance() error {
	vmi, err := s.untilInstance("fedora", func(vmi *kubevirtv1.VirtualMachineInstance) bool {
		return hasCondition(vmi, kubevirtv1.VirtualMachineInstanceAgentConnected)
	})
	if err != nil {
		return err
	}
	if len(vmi.Status.Interfaces) != 1 || vmi.Status.Interfaces[0].IP == "" {
		return fmt.Errorf("interfaces %v", vmi.Status.Interfaces)
	}
	if !vmi.IsRunning() || vmi.Status.NodeName == "" || len(vmi.Status.ActivePods) != 1 {
		return fmt.Errorf("status %+v", vmi.Status)
	}
	return nil
}

func (s suite) guest() error {
	instances := s.client.VirtualMachineInstance(namespace)
	info, err := instances.GuestOsInfo(s.ctx, "fedora")
	if err != nil {
		return err
	}
	if info.Hostname != "fedora" || info.OS.ID == "" {
		return fmt.Errorf("guest information %+v", info)
	}
	if _, err := instances.UserList(s.ctx, "fedora"); err != nil {
		return err
	}
	_, err = instances.FilesystemList(s.ctx, "fedora")
	return err
}

func (s suite) pause() error {
	instances := s.client.VirtualMachineInstance(namespace)
	if err := instances.Pause(s.ctx, "fedora", &kubevirtv1.PauseOptions{}); err != nil {
		return err
	}
	if _, err := s.until("fedora", kubevirtv1.VirtualMachineStatusPaused); err != nil {
		return err
	}
	if err := instances.Pause(s.ctx, "fedora", &kubevirtv1.PauseOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a paused machine was paused: %v", err)
	}
	if err := instances.Unpause(s.ctx, "fedora", &kubevirtv1.UnpauseOptions{}); err != nil {
		return err
	}
	_, err := s.until("fedora", kubevirtv1.VirtualMachineStatusRunning)
	return err
}

func (s suite) reboot() error {
	instances := s.client.VirtualMachineInstance(namespace)
	if err := instances.Freeze(s.ctx, "fedora", time.Minute); err != nil {
		return err
	}
	frozen := func(vmi *kubevirtv1.VirtualMachineInstance) bool { return vmi.Status.FSFreezeStatus == "frozen" }
	if _, err := s.untilInstance("fedora", frozen); err != nil {
		return err
	}
	if err := instances.Unfreeze(s.ctx, "fedora"); err != nil {
		return err
	}
	if err := instances.SoftReboot(s.ctx, "fedora"); err != nil {
		return err
	}
	return instances.Reset(s.ctx, "fedora")
}

func (s suite) refusals() error {
	machines := s.client.VirtualMachine(namespace)
	err := machines.Start(s.ctx, "fedora", &kubevirtv1.StartOptions{})
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "VM is already running") {
		return fmt.Errorf("a running machine was started: %v", err)
	}
	if err := machines.Start(s.ctx, "missing", &kubevirtv1.StartOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("a missing machine was started: %v", err)
	}
	if err := machines.Migrate(s.ctx, "fedora", &kubevirtv1.MigrateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a machine was migrated: %v", err)
	}
	_, err = s.client.VirtualMachineInstance(namespace).SerialConsole("fedora", nil)
	if err == nil {
		return errors.New("a played machine has a console")
	}
	return nil
}

func (s suite) restart() error {
	before, err := s.client.VirtualMachineInstance(namespace).Get(s.ctx, "fedora", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := s.client.VirtualMachine(namespace).Restart(s.ctx, "fedora", &kubevirtv1.RestartOptions{}); err != nil {
		return err
	}
	_, err = s.untilInstance("fedora", func(vmi *kubevirtv1.VirtualMachineInstance) bool {
		return vmi.UID != before.UID && vmi.IsRunning()
	})
	return err
}

func (s suite) stop() error {
	grace := int64(5)
	options := &kubevirtv1.StopOptions{GracePeriod: &grace}
	if err := s.client.VirtualMachine(namespace).Stop(s.ctx, "fedora", options); err != nil {
		return err
	}
	vm, err := s.until("fedora", kubevirtv1.VirtualMachineStatusStopped)
	if err != nil {
		return err
	}
	if *vm.Spec.RunStrategy != kubevirtv1.RunStrategyHalted {
		return fmt.Errorf("run strategy %s", *vm.Spec.RunStrategy)
	}
	return nil
}

// dataVolume starts a machine whose disk is imported.
func (s suite) dataVolume() error {
	vm := machine("imported", kubevirtv1.RunStrategyAlways)
	storage := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	vm.Spec.DataVolumeTemplates = []kubevirtv1.DataVolumeTemplateSpec{{
		ObjectMeta: metav1.ObjectMeta{Name: "imported-root"},
		Spec: cdiv1.DataVolumeSpec{
			Source:  &cdiv1.DataVolumeSource{HTTP: &cdiv1.DataVolumeSourceHTTP{URL: "https://example.com/disk.qcow2"}},
			Storage: &cdiv1.StorageSpec{Resources: corev1.VolumeResourceRequirements{Requests: storage}},
		},
	}}
	vm.Spec.Template.Spec.Volumes[0].VolumeSource = kubevirtv1.VolumeSource{
		DataVolume: &kubevirtv1.DataVolumeSource{Name: "imported-root"},
	}
	if _, err := s.client.VirtualMachine(namespace).Create(s.ctx, vm, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := s.until("imported", kubevirtv1.VirtualMachineStatusRunning); err != nil {
		return err
	}
	volume, err := s.client.CdiClient().CdiV1beta1().DataVolumes(namespace).Get(s.ctx, "imported-root", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if volume.Status.Phase != cdiv1.Succeeded || volume.Status.Progress != "100.0%" {
		return fmt.Errorf("data volume %+v", volume.Status)
	}
	return nil
}

func (s suite) remove() error {
	for _, name := range []string{"fedora", "imported"} {
		if err := s.client.VirtualMachine(namespace).Delete(s.ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		err := eventually(name+" is gone", func() (bool, error) {
			_, err := s.client.VirtualMachine(namespace).Get(s.ctx, name, metav1.GetOptions{})
			return apierrors.IsNotFound(err), ignoreNotFound(err)
		})
		if err != nil {
			return err
		}
	}
	return eventually("the data volume is gone", func() (bool, error) {
		_, err := s.client.CdiClient().CdiV1beta1().DataVolumes(namespace).Get(s.ctx, "imported-root", metav1.GetOptions{})
		return apierrors.IsNotFound(err), ignoreNotFound(err)
	})
}

func (s suite) until(name string, status kubevirtv1.VirtualMachinePrintableStatus) (*kubevirtv1.VirtualMachine, error) {
	var vm *kubevirtv1.VirtualMachine
	err := eventually(fmt.Sprintf("%s is %s", name, status), func() (bool, error) {
		var err error
		vm, err = s.client.VirtualMachine(namespace).Get(s.ctx, name, metav1.GetOptions{})
		return err == nil && vm.Status.PrintableStatus == status, err
	})
	return vm, err
}

func (s suite) untilInstance(
	name string,
	holds func(*kubevirtv1.VirtualMachineInstance) bool,
) (*kubevirtv1.VirtualMachineInstance, error) {
	var vmi *kubevirtv1.VirtualMachineInstance
	err := eventually("instance "+name, func() (bool, error) {
		var err error
		vmi, err = s.client.VirtualMachineInstance(namespace).Get(s.ctx, name, metav1.GetOptions{})
		return err == nil && holds(vmi), ignoreNotFound(err)
	})
	return vmi, err
}

func eventually(what string, holds func() (bool, error)) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		done, err := holds()
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("not in time: %s", what)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func hasCondition(vmi *kubevirtv1.VirtualMachineInstance, kind kubevirtv1.VirtualMachineInstanceConditionType) bool {
	for _, condition := range vmi.Status.Conditions {
		if condition.Type == kind && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

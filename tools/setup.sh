#!/usr/bin/env bash
# Is everything here that a build needs?  Silent when it is.  Otherwise installs the missing Debian packages, or, where
# there is no apt-get or no right to use it, names them and stops.
#   tools/setup.sh           compiler, cmake, pkg-config, libyaml, HDF5, cmocka, python3, OpenCL (pocl)
#   tools/setup.sh python    also NumPy, which import visviva needs
#   tools/setup.sh test      also what tests and notebooks of the Python module need: NumPy, pandas, Jupyter's tools, matplotlib
#   tools/setup.sh deb       also what builds and checks the Debian package
#   tools/setup.sh clang     also clang with its OpenMP runtime (make tsan, make fuzz)
#   tools/setup.sh peers     also the engines of make peers: Bullet, ODE, MuJoCo
#   tools/setup.sh mpi       also OpenMPI and PETSc, which visviva-mpi uses, and MPICH, for its tests (make mpi)
#   tools/setup.sh web       also Node and npm, which build the report page (make web)
#   tools/setup.sh web-test  also Chromium and h5py, which test it (make web-test)
set -euo pipefail

missing=()
need() { missing+=("$@"); } # packages, by their Debian names
has() { command -v "$1" >/dev/null 2>&1; }
imports() { /usr/bin/python3 -c "import $1" 2>/dev/null || python3 -c "import $1" 2>/dev/null; }
module() { pkg-config --exists "$1" 2>/dev/null; }

look() {
  missing=()
  has gcc || need gcc libc6-dev
  has make || need make
  has cmake || need cmake
  has python3 || need python3
  if ! has pkg-config; then
    need pkg-config libyaml-dev libhdf5-dev libcmocka-dev
  else
    module yaml-0.1 || need libyaml-dev
    module hdf5-serial || module hdf5 || has h5cc || need libhdf5-dev
    module cmocka || need libcmocka-dev
  fi
  # accelerators: OpenCL's headers for the build, its loader and a device that is this processor for the tests
  [ -e /usr/include/CL/cl.h ] || need opencl-c-headers
  ldconfig -p 2>/dev/null | grep 'libOpenCL\.so\.1' >/dev/null || need ocl-icd-libopencl1
  [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || need pocl-opencl-icd
  case "${1:-}" in python | test)
    imports numpy || need python3-numpy ;;
  esac
  if [ "${1:-}" = test ]; then
    imports yaml || need python3-yaml
    imports jsonschema || need python3-jsonschema
    imports pandas || need python3-pandas
    imports matplotlib || need python3-matplotlib
    imports nbclient || need python3-nbclient
    imports nbformat || need python3-nbformat
    imports ipykernel || need python3-ipykernel
    imports nbconvert || need python3-nbconvert
  fi
  if [ "${1:-}" = deb ]; then
    has dpkg-buildpackage || need dpkg-dev
    has dh || need debhelper
    has dh_python3 || need dh-python
    has lintian || need lintian
    has fakeroot || need fakeroot
  fi
  if [ "${1:-}" = clang ]; then
    has clang || need clang
    local home
    home=$(dirname "$(readlink -f "$(command -v clang)")")/.. # of LLVM
    [ -e "$home/lib/libarcher.so" ] || need libomp-dev
  fi
  if [ "${1:-}" = peers ]; then
    has g++ || need g++
    module bullet-float64 || need libbullet-dev
    module ode || need libode-dev
    [ -e /usr/include/mujoco/mujoco.h ] || need libmujoco-dev
  fi
  if [ "${1:-}" = mpi ]; then
    { has mpicc && has mpiexec; } || need libopenmpi-dev openmpi-bin
    module PETSc || need libpetsc-real-dev
    { module mpich && has mpiexec.mpich; } || need libmpich-dev mpich
  fi
  case "${1:-}" in web*)
    has node || need nodejs
    has npm || need npm ;;
  esac
  if [ "${1:-}" = web-test ]; then
    has chromium || [ -n "${CHROMIUM:-}" ] || need chromium
    /usr/bin/python3 -c 'import h5py' 2>/dev/null || python3 -c 'import h5py' 2>/dev/null || need python3-h5py
  fi
}

look "$@"
[ ${#missing[@]} -gt 0 ] || exit 0
has ninja || missing+=(ninja-build) # not needed, but faster; only asked for when something is to be installed anyway

command="apt-get install -y --no-install-recommends ${missing[*]}"
as_root=()
if [ "$(id -u)" != 0 ]; then
  if has sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root=(sudo)
  else
    as_root=(false)
  fi
fi
if ! has apt-get || [ "${as_root[*]:-}" = false ]; then
  {
    echo "visviva needs packages that are not here; their Debian names are:"
    echo "  ${missing[*]}"
    if has apt-get; then
      echo "Install them, then try again:"
      echo "  sudo $command"
    else
      echo "There is no apt-get on this system: install them with its own package manager, then try again."
    fi
  } >&2
  exit 1
fi

echo "visviva: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive $command >"$log" 2>&1; }
if ! install; then # perhaps only the package lists are missing or old
  ${as_root[@]+"${as_root[@]}"} apt-get update >>"$log" 2>&1 || true
  if ! install; then
    cat "$log" >&2
    echo "visviva: could not install the packages; try by hand:  $command" >&2
    exit 1
  fi
fi
hash -r
look "$@"
if [ ${#missing[@]} -gt 0 ]; then
  echo "visviva: still missing after the installation: ${missing[*]}" >&2
  exit 1
fi

# SPDX-License-Identifier: Apache-2.0
"""Velocity models of other programs as one form: an xarray.DataArray of m/s over z, y, x in m, depths
from the top down. Each function that changes something adds a line to the list `steps`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .errors import ToolError, one_line

LENGTHS = {"m": 1.0, "metre": 1.0, "meter": 1.0, "metres": 1.0, "meters": 1.0, "km": 1000.0,
           "mm": 0.001, "ft": 0.3048, "feet": 0.3048, "kft": 304.8}
VELOCITIES = {"m/s": lambda v: v, "km/s": lambda v: 1000 * v, "ft/s": lambda v: 0.3048 * v,
              "s/m": lambda v: 1 / v, "s/km": lambda v: 1000 / v, "us/ft": lambda v: 304800 / v,
              "s2/m2": lambda v: v**-0.5, "s2/km2": lambda v: 1000 * v**-0.5}
SPELLINGS = {"ms-1": "m/s", "m/sec": "m/s", "kms-1": "km/s", "fts-1": "ft/s", "sm-1": "s/m",
             "skm-1": "s/km", "s2km-2": "s2/km2", "s2m-2": "s2/m2", "meter/second": "m/s",
             "metrespersecond": "m/s", "meterspersecond": "m/s"}
NAMES = {"x": ("x", "easting", "projection_x_coordinate", "crossline", "xline", "cdp"),
         "y": ("y", "northing", "projection_y_coordinate", "inline", "iline"),
         "z": ("z", "depth", "elevation", "height", "altitude", "tvd")}
HEIGHTS = ("elevation", "height", "altitude")
HDF5_OWN = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS")


def _attributes(h5_object) -> dict:
    """Texts, numbers and arrays."""
    said = {name: value.decode() if isinstance(value, bytes) else value
            for name, value in h5_object.attrs.items() if name not in HDF5_OWN}
    return {name: value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
            for name, value in said.items()}


def _pick(fields: dict, variable: str | None, usual: str | None = None):
    name = variable or (usual if usual in fields or len(fields) != 1 else next(iter(fields)))
    if name not in fields:
        raise ToolError(f"--variable must name one of its fields: {', '.join(fields)}")
    return fields[name]


def _read_hdf5(path: Path, variable: str | None):
    import h5py
    import xarray as xr
    with h5py.File(path, "r") as file:
        fields = {}
        file.visititems(lambda name, item: fields.update({name: item}) if isinstance(
            item, h5py.Dataset) and item.ndim in (2, 3) and item.dtype.kind in "fiu" else None)
        data = _pick(fields, variable, "m")
        attributes, dims, coords = _attributes(data), [], {}
        if data.fillvalue != 0:
            attributes.setdefault("_FillValue", data.fillvalue)
        for axis, dim in enumerate(data.dims):
            scale = dim[0] if len(dim) else None
            dims.append(dim.label or (scale.name.split("/")[-1] if scale else f"axis{axis + 1}"))
            if scale and b"This is a netCDF dim" not in np.bytes_(scale.attrs.get("NAME", b"")):
                coords[dims[-1]] = (dims[-1], scale[()], _attributes(scale))
        if not coords and {"d", "o"} <= set(file):  # as JUDI writes it: spacings and origins, x first
            dims = ["z", "y", "x"] if data.ndim == 3 else ["z", "x"]
            steps = zip(dims, data.shape, file["d"][()][::-1], file["o"][()][::-1])
            coords = {dim: o + d * np.arange(n) for dim, n, d, o in steps}
            attributes.setdefault("units", "s2/km2")
        return xr.DataArray(data[()], coords, dims, attrs=attributes)


def _read_netcdf3(path: Path, variable: str | None):
    import xarray as xr
    with xr.open_dataset(path, engine="scipy", decode_cf=False) as file:
        fields = {name: field for name, field in file.items() if field.ndim in (2, 3)}
        return _pick(fields, variable).load()


def _read_raw(path: Path, shape: dict[str, int | None], axes: str, kind: str):
    import xarray as xr
    sizes = {axis: shape[axis] for axis in axes if shape.get(axis)}
    wanted = int(np.prod(list(sizes.values()))) * np.dtype(kind).itemsize
    if not shape["x"] or not shape["z"] or path.stat().st_size != wanted:
        raise ToolError(f"{path.stat().st_size} bytes; --nx, --ny, --nz and --dtype {kind} say "
                        f"{wanted}")
    return xr.DataArray(np.fromfile(path, kind).reshape(list(sizes.values())), dims=list(sizes))


def _grid_steps(places, rows, columns):
    """The steps of the coordinates from column to column and from row to row."""
    terms = np.stack([np.ones(len(rows)), columns, rows], axis=1)
    fitted = np.round(np.linalg.lstsq(terms, places, rcond=None)[0], 6)
    error = np.abs(terms @ fitted - places).max()
    steps = [np.hypot(*v) for v in fitted[1:] if np.hypot(*v) > 0]
    if steps and error > 0.25 * min(steps):
        raise ToolError(f"traces lie up to {error:.3g} m off an even grid: grid them first")
    return fitted[1], fitted[2]


def _square(values, along_x, along_y, dx, steps):
    """[y][x][z] on a grid of right angles, y to the left of x, and its spacings."""
    if abs(along_x[0]) * np.hypot(*along_y) < abs(along_y[0]) * np.hypot(*along_x):
        values, along_x, along_y = values.swapaxes(0, 1), along_y, along_x
        steps.append("swapped rows and columns: x runs east")
    if along_x[0] < 0:
        values, along_x = values[:, ::-1], -along_x
        steps.append("mirrored x: it ran west")
    length = np.hypot(*along_x)
    if length == 0 or len(values) == 1:
        return values, length or dx, 1.0
    if along_x[0] * along_y[1] < along_x[1] * along_y[0]:
        values, along_y = values[::-1], -along_y
        steps.append("mirrored y: it lay to the right of x")
    height = (along_x[0] * along_y[1] - along_x[1] * along_y[0]) / length
    shear = along_x @ along_y / length
    if abs(shear) > 1e-3 * height:
        shifts = shear * np.arange(len(values))
        first, last = shifts.min(), shifts.max() + length * (values.shape[1] - 1)
        old = length * np.arange(values.shape[1])
        new = first + length * np.arange(round((last - first) / length) + 1)
        values = np.stack([np.stack([np.interp(new, old + shift, row[:, k], np.nan, np.nan)
                                     for k in range(row.shape[1])], axis=1)
                           for row, shift in zip(values, shifts)])
        angle = np.degrees(np.arctan2(height, shear))
        steps.append(f"resampled to right angles: rows stood at {angle:.3g} degrees to columns")
    return values, length, height


def _read_segy(path: Path, columns: int | None, spacing: dict, steps: list):
    import segyio
    import xarray as xr
    with open(path, "rb") as raw:
        head = raw.read(3600)
    endian = "big" if 1 <= int.from_bytes(head[3224:3226], "big") <= 16 else "little"
    with segyio.open(str(path), ignore_geometry=True, endian=endian) as file:
        field = {byte: np.asarray(file.attributes(byte)[:], float)
                 for byte in (71, 73, 77, 81, 85, 89, 181, 185, 189, 193)}
        traces, interval = np.asarray(file.trace.raw[:]), float(file.bin[segyio.BinField.Interval])
        feet = file.bin[segyio.BinField.MeasurementSystem] == 2
    if field[89].max() > 1:
        raise ToolError("its coordinates are angles (bytes 89 to 90): project them to metres")
    count, unit = len(traces), 0.3048 if feet else 1.0
    scale = unit * np.where(field[71] < 0, -1 / np.minimum(field[71], -1), np.maximum(field[71], 1))
    pair = next(((x, y) for x, y in ((181, 185), (81, 85), (73, 77))
                 if np.ptp(field[x]) or np.ptp(field[y])), (181, 185))
    places = np.stack([scale * field[pair[0]], scale * field[pair[1]]], axis=1)
    if not columns and np.ptp(field[189]) and np.ptp(field[193]):
        rows, row = np.unique(field[189], return_inverse=True)
        numbers, column = np.unique(field[193], return_inverse=True)
        shape = len(rows), len(numbers)
    else:
        row, column = np.divmod(np.arange(count), columns or count)
        shape = row.max() + 1, columns or count
    values = np.full((*shape, traces.shape[1]), np.nan)
    values[row, column] = traces
    step = _grid_steps(places, row, column)
    values, dx, dy = _square(values, *step, spacing["x"] or 0, steps)
    if feet:
        steps.append("converted coordinates and depths from feet to m")
    dz = spacing["z"] or unit * interval / 1000
    if not spacing["z"]:
        steps.append(f"dz = {dz:g} m: the header's interval {interval:g} as thousandths")
    array = xr.DataArray(values, dims=("y", "x", "z"), attrs={"units": "ft/s"} if feet else {})
    found = {"y": spacing["y"] or dy, "x": spacing["x"] or dx, "z": dz}
    return array.assign_coords({a: found[a] * np.arange(array.sizes[a]) for a in found if found[a]})


def read(path: Path, options, steps: list):
    """The field of a file as it is there, with its attributes and the coordinates that it has."""
    spacing, shape = ({axis: getattr(options, kind + axis) for axis in "xyz"} for kind in "dn")
    with open(path, "rb") as file:
        head = file.read(4)
    try:
        if head == b"\x89HDF":
            return _read_hdf5(path, options.variable)
        if head[:3] == b"CDF":
            return _read_netcdf3(path, options.variable)
        if path.suffix.lower() in (".sgy", ".segy"):
            return _read_segy(path, options.nx, spacing, steps)
        return _read_raw(path, shape, options.order or "zyx", options.dtype)
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, MemoryError) as error:
        raise ToolError(f"cannot be read: {one_line(error)}") from None


def _axis_of(array, name: str) -> str | None:
    attributes = array[name].attrs if name in array.coords else {}
    said = [str(attributes.get(key, "")).lower() for key in ("axis", "standard_name")]
    words = [*said, name.lower(), name.lower().split("_")[0].split(" ")[0]]
    return next((axis for axis, names in NAMES.items() for word in words if word in names), None)


def oriented(array, options, steps: list):
    """Over z, y, x, or z, x; coordinates in m, depths."""
    axes = list(options.order) if options.order else [_axis_of(array, name) for name in array.dims]
    if sorted(map(str, axes)) not in (["x", "z"], ["x", "y", "z"]) or len(axes) != array.ndim:
        raise ToolError(f"its axes {', '.join(map(str, array.dims))} are not known as x, y, z: name "
                        "their order by --order, the slowest first, such as xz")
    names = dict(zip(array.dims, axes))
    for name, axis in names.items():
        step = getattr(options, f"d{axis}")
        if name not in array.coords or array[name].ndim != 1:
            if not step:
                raise ToolError(f"the spacing along {axis} is missing: give it by --d{axis}")
            array = array.assign_coords({name: step * np.arange(array.sizes[name])})
        place = array[name]
        if step and place.size > 1 and abs(abs(float(place[1] - place[0])) / step - 1) > 1e-3:
            raise ToolError(f"--d{axis} {step:g}: its axis {name} has places of its own")
        unit = str(place.attrs.get("units", "m")).lower()
        if unit not in LENGTHS:
            raise ToolError(f"its axis {name} is in {unit}, not a length: convert it to m first")
        places = LENGTHS[unit] * np.asarray(place, float)
        words = [name, str(place.attrs.get("standard_name", "")), str(place.attrs.get("long_name", ""))]
        up = str(place.attrs.get("positive", "")).lower() == "up" or (
            "positive" not in place.attrs and any(w.lower().startswith(HEIGHTS) for w in words))
        if axis == "z" and (up or options.up):
            places = -places
            steps.append(f"turned heights along {name} into depths")
        if LENGTHS[unit] != 1:
            steps.append(f"converted {name} from {unit} to m")
        array = array.assign_coords({name: (name, places)})
        if len(places) > 1 and places[-1] < places[0]:
            array = array.isel({name: slice(None, None, -1)})
            steps.append(f"flipped {name}")
    array = array.rename({name: axis for name, axis in names.items() if name != axis})
    order = [axis for axis in "zyx" if axis in array.dims]
    if list(array.dims) != order:
        steps.append(f"transposed [{']['.join(array.dims)}] to [{']['.join(order)}]")
    return array.transpose(*order).drop_vars([c for c in array.coords if c not in order])


def velocities(array, unit: str | None, steps: list):
    """In m/s, missing values as NaN."""
    said, raw = array.attrs, np.asarray(array)
    values = raw.astype(float)
    missing = ~np.isfinite(values)
    for name in ("_FillValue", "missing_value"):
        missing |= np.isin(raw, np.asarray(said.get(name, [])).astype(raw.dtype))
    low, high = said.get("valid_range", (said.get("valid_min", -np.inf), said.get("valid_max", np.inf)))
    missing |= (values < low) | (values > high)
    factor, offset = said.get("scale_factor", 1.0), said.get("add_offset", 0.0)
    if (factor, offset) != (1, 0):
        values = values * factor + offset
        steps.append(f"unpacked: times {factor:g} plus {offset:g}")
    missing |= ~(values > 0)
    if missing.all():
        raise ToolError("it holds no value")
    name = unit or next((said[key] for key in ("units", "unit", "Units") if said.get(key)), "m/s")
    plain = "".join(c for c in str(name).lower() if c not in " ^*.()")
    plain = SPELLINGS.get(plain, plain)
    if plain not in VELOCITIES:
        raise ToolError(f"its unit {name} is none of {', '.join(VELOCITIES)}: name it by --units")
    values = VELOCITIES[plain](np.where(missing, np.nan, values))
    if plain != "m/s":
        steps.append(f"converted {plain} to m/s")
    low, high = np.nanmin(values), np.nanmax(values)
    if low < 50 or high > 20000:
        raise ToolError(f"its values are {low:g} to {high:g} m/s if they are in {plain}: name their unit "
                        "by --units")
    return array.copy(data=values)


def filled(array, how: str, steps: list):
    """Missing values replaced by a velocity, or by the nearest cell's."""
    values, missing = np.array(array), np.isnan(array.data)
    if not missing.any():
        return array
    if how == "nearest":
        from scipy.ndimage import distance_transform_edt
        steps_m = [abs(float(array[a][1] - array[a][0])) if array.sizes[a] > 1 else 1.0
                   for a in array.dims]
        nearest = distance_transform_edt(missing, steps_m, return_distances=False, return_indices=True)
        values = values[tuple(nearest)]
    else:
        try:
            values[missing] = float(how)
        except ValueError:
            raise ToolError(f"--fill {how}: must be nearest or a velocity in m/s") from None
    steps.append(f"filled {missing.sum()} of {missing.size} cells: {how}")
    return array.copy(data=values)


def regular(array, spacing: dict[str, float], ranges: dict[str, tuple], steps: list):
    """On even spacings, those wanted or its own, cut to ranges in m."""
    for axis in array.dims:
        old = np.asarray(array[axis])
        low, high = ranges.get(axis, (old[0], old[-1]))
        if not spacing.get(axis, 1.0) > 0:
            raise ToolError(f"--resample {axis}={spacing[axis]:g}: must be above 0")
        if low < old[0] - 1e-6 or high > old[-1] + 1e-6 or low > high:
            raise ToolError(f"--crop {axis}={low:g}:{high:g}: it has {old[0]:g} to {old[-1]:g} m")
        gaps = np.diff(old)
        even = len(gaps) == 0 or np.ptp(gaps) <= 2e-3 * gaps.mean()
        step = spacing.get(axis) or (1.0 if len(gaps) == 0 else gaps.mean() if even else gaps.min())
        if even and (len(gaps) == 0 or abs(step / gaps.mean() - 1) < 1e-6):
            kept = (old >= low - 1e-6) & (old <= high + 1e-6)
            if not kept.all():
                steps.append(f"cropped {axis} to {old[kept][0]:g} to {old[kept][-1]:g} m")
            array = array.isel({axis: kept})
            continue
        new = low + step * np.arange(int((high - low) / step * (1 + 1e-9)) + 1)
        array = array.interp({axis: new}, kwargs={"fill_value": "extrapolate"})
        steps.append(f"resampled {axis}: {len(new)} samples, {step:g} m apart, from {low:g} m")
    return array

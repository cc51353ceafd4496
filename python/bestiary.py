"""Bestiary from Python: virtual creatures that move the same, bit for bit, on every machine.

    import bestiary
    creature = bestiary.Creature.read("walker.creature")
    print(bestiary.evaluate(creature)["status"])             # verified

ctypes over libbestiary; numpy is needed, pandas for the frames of a run alone. include/bestiary.h says
what each function does; SI units; x to the right, y up, z towards the viewer. The library is
$BESTIARY_LIBRARY, else that of the source tree or of the folder where it is installed, else the system's. A call lets other
threads run; an object is for one thread at a time.
"""
import collections
import concurrent.futures
import ctypes as C
import json
import os
import sqlite3
import urllib.request

import numpy as np

try:
    import gymnasium
    Base, Box = gymnasium.Env, gymnasium.spaces.Box
except ImportError:
    Base = object

    class Box:
        """Arrays with a number's bounds for each entry, as Gymnasium's space of that name."""

        def __init__(self, low, high, shape, dtype=np.float32):
            self.shape, self.dtype = tuple(shape), np.dtype(dtype)
            self.low, self.high = (np.full(shape, x, dtype) for x in (low, high))
            self._random = np.random.default_rng()

        def seed(self, seed=None):
            self._random = np.random.default_rng(seed)

        def sample(self):
            return self._random.uniform(np.maximum(self.low, -1e3), np.minimum(self.high, 1e3)).astype(self.dtype)

        def contains(self, x):
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))


# ---- the library ----

class _Error(C.Structure):
    _fields_ = [("code", C.c_int), ("message", C.c_char * 480)]


class _Bytes(C.Structure):
    _fields_ = [("data", C.c_void_p), ("length", C.c_size_t)]


class _Record(C.Structure):
    _fields_ = [("id", C.c_uint64), ("seed", C.c_uint64), ("digest", C.c_uint64), ("verdict", C.c_int),
                ("simulator_version", C.c_int), ("fitness", C.c_double)]


class _Result(C.Structure):
    _fields_ = [("verdict", C.c_int), ("status", C.c_int), ("digest", C.c_uint64), ("fitness", C.c_double),
                ("words", C.c_char * 160)]


class _Progress(C.Structure):
    _fields_ = [("generation", C.c_uint32), ("done", C.c_int), ("needed", C.c_int), ("best", C.c_double),
                ("median", C.c_double), ("is_finished", C.c_int), ("evaluations", C.c_uint64)]


class _Step(C.Structure):
    _fields_ = [("signals", C.c_void_p), ("width", C.c_int), ("size", C.c_int), ("ticks", C.c_int),
                ("observations", C.c_void_p), ("centres", C.c_void_p), ("is_live", C.c_void_p)]


_int, _u64, _double, _text, _size, _any, _at = (C.c_int, C.c_uint64, C.c_double, C.c_char_p, C.c_size_t,
                                                C.c_void_p, C.POINTER)
# result and arguments; a last `...` stands for the error
_FUNCTIONS = {
    "version": (_text, _at(_int)), "fingerprint": (_u64,), "measure_name": (_text, _int), "fact_name": (_text, _int),
    "bytes_free": (None, _at(_Bytes)),
    "params_make": (_int, _at(_any), _text, ...), "params_of": (_int, _at(_any), _any, ...),
    "params_set": (_int, _any, _text, _text, ...), "params_get": (_int, _any, _text, _text, _size, ...),
    "params_free": (None, _any),
    "creature_read": (_int, _at(_any), _text, _size, ...), "creature_random": (_int, _at(_any), _any, _u64, ...),
    "creature_breed": (_int, _at(_any), _any, _any, _int, _int, _any, _u64, ...),
    "creature_write": (_int, _any, _int, _at(_Bytes), ...), "creature_record": (_int, _any, _at(_Record)),
    "creature_free": (None, _any), "record": (_int, _any, _any, _u64, _at(_Result), ...),
    "contest": (_int, _any, _any, _any, _at(_double), _at(_u64), ...),
    "life_make": (_int, _at(_any), _any, _any, _u64, ...), "life_tick": (_int, _any, _int),
    "life_result": (_int, _any, _at(_Result), ...), "life_read": (_int, _any, _int, _any, _int),
    "life_steer": (_int, _any, _any, _int, ...), "life_change": (_int, _any, _text, _text, ...),
    "life_save": (_int, _any, _at(_Bytes), ...), "life_restore": (_int, _any, _at(_Bytes), ...),
    "life_free": (None, _any), "lives_step": (_int, _any, _int, _at(_Step), ...),
    "world_found": (_int, _at(_any), _any, _u64, _any, _int, ...), "world_live": (_int, _any, ...),
    "world_read": (_int, _at(_any), _any, _text, _size, ...), "world_write": (_int, _any, _at(_Bytes), ...),
    "world_facts": (_u64, _any, _any, _int), "world_creature": (_int, _any, _int, _at(_any), ...),
    "world_free": (None, _any),
    "search_make": (_int, _at(_any), _any, ...), "search_ask": (_int, _any, _at(_Bytes), ...),
    "task": (_int, _any, _text, _size, _at(_Bytes), ...), "search_tell": (_int, _any, _text, _size, ...),
    "search_progress": (None, _any, _at(_Progress)), "search_creature": (_int, _any, _int, _at(_any), ...),
    "search_digest": (_u64, _any), "search_free": (None, _any)}


class Error(Exception):
    """An input that the library refuses. `code` is one of the header's BESTIARY_ERROR_*."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def _bind(library, name, result, *arguments):
    function = getattr(library, "bestiary_" + name)
    has_error = bool(arguments) and arguments[-1] is ...
    function.restype = result
    function.argtypes = [*arguments[:-1], _at(_Error)] if has_error else arguments
    if not has_error:
        return function

    def call(*given):
        error = _Error()
        status = function(*given, C.byref(error))
        if status < 0:
            raise Error(error.code, error.message.decode(errors="replace"))
        return status
    return call


def _open_library():
    here, name = os.path.dirname(os.path.abspath(__file__)), "libbestiary.so.1"
    beside = [os.path.join(here, *way, name) for way in (("..", "build"), ("..", "..", "..", "lib"))]
    return C.CDLL(os.environ.get("BESTIARY_LIBRARY") or next(filter(os.path.exists, beside), name))


_library = _open_library()
_c = collections.namedtuple("Functions", _FUNCTIONS)(*(_bind(_library, n, *f) for n, f in _FUNCTIONS.items()))


def _take_bytes(function, *given):
    """The bytes that a function makes."""
    made = _Bytes()
    function(*given, C.byref(made))
    data = C.string_at(made.data, made.length)
    _c.bytes_free(C.byref(made))
    return data


class _Owned:
    """An object of the library, freed with its Python object."""
    _free = None

    def __init__(self, make, *given):
        self._as_parameter_ = C.c_void_p()
        make(C.byref(self._as_parameter_), *given)

    def __del__(self):
        if getattr(self, "_as_parameter_", None):
            self._free(self._as_parameter_)
            self._as_parameter_ = None


def _names(name_of):
    names = []
    while (name := name_of(len(names))) is not None:
        names.append(name.decode())
    return names


MEASURES = _names(_c.measure_name)
FACTS = _names(_c.fact_name)
STATUS = ["verified", "differs", "unrecorded", "other version", "refused", "changed"]


def version():
    """("0.35.0", 36): of the library, and of its simulator."""
    simulator = C.c_int()
    return _c.version(C.byref(simulator)).decode(), simulator.value


def fingerprint():
    """Machines with equal ones give equal digests."""
    return f"{_c.fingerprint():016x}"


# ---- parameters and creatures ----

class Params(_Owned):
    """Parameters: params["world.gravity_m_s2"] = 3. `ini` is the text of a parameter file."""
    _free = staticmethod(_c.params_free)

    def __init__(self, ini=None, of=None, **sections):
        """Those of the record of the creature `of`, else the defaults; then a dict for each section:
        Params(world={"preset": "water"})."""
        if of is None:
            super().__init__(_c.params_make, ini.encode() if ini else None)
        else:
            super().__init__(_c.params_of, of)
        for section, values in sections.items():
            for key, value in values.items():
                self[f"{section}.{key}"] = value

    @classmethod
    def read(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(file.read())

    def __setitem__(self, key, value):
        text = repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
        _c.params_set(self, key.encode(), text.encode())

    def __getitem__(self, key):
        value = C.create_string_buffer(4096)
        _c.params_get(self, key.encode(), value, len(value))
        return value.value.decode()


class Creature(_Owned):
    """A genome, with the record of its evaluation where it has one."""
    _free = staticmethod(_c.creature_free)

    def __init__(self, data):
        """From the bytes of a creature file, its JSON text, or the dict of that JSON."""
        if isinstance(data, dict):
            data = json.dumps(data)
        data = data.encode() if isinstance(data, str) else bytes(data)
        super().__init__(_c.creature_read, data, len(data))

    @classmethod
    def _made(cls, make, *given):
        creature = cls.__new__(cls)
        _Owned.__init__(creature, make, *given)
        return creature

    @classmethod
    def read(cls, path):
        with open(path, "rb") as file:
            return cls(file.read())

    @classmethod
    def random(cls, params, seed=1):
        """A random creature of the kind creature.body."""
        return cls._made(_c.creature_random, params, seed)

    def breed(self, params, seed=1, other=None, graft=False, mutations=-1):
        """A child by mutation, with `other` by crossover or graft; -1: as many mutations as a run would draw."""
        return self._made(_c.creature_breed, self, other, graft, mutations, params, seed)

    def to_bytes(self):
        return _take_bytes(_c.creature_write, self, 0)

    def to_dict(self):
        return json.loads(_take_bytes(_c.creature_write, self, 1))

    def write(self, path):
        """Binary, or JSON if the name ends so."""
        data = _take_bytes(_c.creature_write, self, int(str(path).endswith(".json")))
        with open(path, "wb") as file:
            file.write(data)

    @property
    def record(self):
        """id, seed, digest, verdict (0: ok), simulator_version, fitness; None: it has no record."""
        record = _Record()
        if _c.creature_record(self, C.byref(record)) < 0:
            return None
        return {**{name: getattr(record, name) for name, _ in _Record._fields_}, "digest": f"{record.digest:016x}"}

    def _usual(self, params, seed):
        record = self.record
        return params or Params(of=self), record["seed"] if seed is None and record else seed or 1


def _result_dict(result):
    return {"verdict": result.verdict, "status": STATUS[result.status], "digest": f"{result.digest:016x}",
            "fitness": result.fitness, "words": result.words.decode(errors="replace")}


def evaluate(creature, params=None, seed=None):
    """Its life to the end: verdict, status, digest, fitness, words, and all measures by name."""
    life = Life(creature, params, seed)
    life.tick(1 << 30)
    return {**life.result(), **dict(zip(MEASURES, life.read("measures").ravel()))}


def record(creature, params=None, seed=None):
    """Evaluates, and makes that the creature's record: a file of it is `verified` wherever it is read."""
    params, seed = creature._usual(params, seed)
    result = _Result()
    _c.record(creature, params, seed, C.byref(result))
    return _result_dict(result)


def contest(a, b, params):
    """All bouts of two creatures: the margin of a, -1 .. 1, and the digest."""
    margin, digest = C.c_double(), C.c_uint64()
    _c.contest(a, b, params, C.byref(margin), C.byref(digest))
    return margin.value, f"{digest.value:016x}"


# ---- lives ----

# what can be read of a life, and how many numbers a row has (0: the whole is one row)
READS = {"time": 3, "centre": 3, "light": 3, "parts": 3, "shapes": 12, "poses": 7, "motions": 6, "drives": 6,
         "effectors": 4, "neurons": 1, "sensors": 0, "contacts": 9, "ledger": 13, "measures": 0, "observation": 0}
_READ = {name: number for number, name in enumerate(READS)}


class Life(_Owned):
    """An evaluation that stands at its start, grown and settled, and goes on by tick()."""
    _free = staticmethod(_c.life_free)

    def __init__(self, creature, params=None, seed=None):
        params, seed = creature._usual(params, seed)
        self.creature = creature  # it must outlive its life
        super().__init__(_c.life_make, creature, params, seed)

    def tick(self, ticks=1):
        """Up to so many brain ticks. Returns how many there were; fewer: the life has ended."""
        return _c.life_tick(self, ticks)

    def result(self):
        """The result if the life ended now; it may go on."""
        result = _Result()
        _c.life_result(self, C.byref(result))
        return _result_dict(result)

    def read(self, what):
        """An array of rows, of the columns that include/bestiary.h names for each of READS."""
        count = _c.life_read(self, _READ[what], None, 0)
        values = np.empty(count)
        _c.life_read(self, _READ[what], values.ctypes.data, count)
        return values.reshape(-1, READS[what] or max(count, 1))

    def steer(self, signals=None):
        """Signals of all effectors from now on, in their own units, instead of the brain's; None: the brain's."""
        values = np.ascontiguousarray(signals if signals is not None else [], float)
        _c.life_steer(self, values.ctypes.data if signals is not None else None, values.size)

    def change(self, key, value):
        """Changes a parameter of the section `world` from now on."""
        _c.life_change(self, key.encode(), str(value).encode())

    def save(self):
        """A snapshot for restore() of this life alone, some 0.3 MB."""
        return _take_bytes(_c.life_save, self)

    def restore(self, snapshot):
        held = C.create_string_buffer(snapshot, len(snapshot))
        _c.life_restore(self, C.byref(_Bytes(C.addressof(held), len(snapshot))))

    def draw(self, width=320, height=240, metres=3.0):
        """A side view, height x width x 3 bytes, of so many metres of height around the centre of mass."""
        return _draw(self, width, height, metres)


def _turned(turns, ways):
    """Ways (n x 3), turned by quaternions w x y z (n x 4)."""
    axis = turns[:, 1:]
    twice = 2 * np.cross(axis, ways)
    return ways + turns[:, :1] * twice + np.cross(axis, twice)


def _hull(points):
    """The convex hull of points in the plane, in positive order."""
    points = sorted(map(tuple, points))

    def chain(points):
        kept = []
        for x, y in points:
            while len(kept) > 1 and ((kept[-1][0] - kept[-2][0]) * (y - kept[-2][1])
                                     <= (kept[-1][1] - kept[-2][1]) * (x - kept[-2][0])):
                kept.pop()
            kept.append((x, y))
        return kept[:-1]
    return np.array(chain(points) + chain(points[::-1]))


def _draw(life, width, height, metres):
    centre, shapes, poses = life.read("centre")[0], life.read("shapes"), life.read("poses")
    pixel = metres / height
    x = centre[0] + (np.arange(width) - width / 2) * pixel
    y = max(centre[1], 0.4 * metres) + (height / 2 - np.arange(height)[:, None]) * pixel
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = (225, 232, 240)
    if centre[1] < 2 * metres:
        picture[np.broadcast_to(y < 0, (height, width))] = (150, 140, 120)
    part = poses[shapes[:, 1].astype(int)]
    middle = part[:, :3] + _turned(part[:, 3:], shapes[:, 2:5])
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
    for i in np.argsort(middle[:, 2]):
        if shapes[i, 0] == 1:
            inside = (x - middle[i, 0]) ** 2 + (y - middle[i, 1]) ** 2 < shapes[i, 9] ** 2
        else:
            ways = _turned(np.repeat(shapes[i:i + 1, 5:9], 8, 0), corners * np.maximum(shapes[i, 9:], 1e-3))
            at = _turned(np.repeat(part[i:i + 1, 3:], 8, 0), ways) + middle[i]
            hull, inside = _hull(at[:, :2]), True
            for a, b in zip(hull, np.roll(hull, -1, 0)):
                inside = inside & ((b[0] - a[0]) * (y - a[1]) >= (b[1] - a[1]) * (x - a[0]))
        picture[inside] = (200 - 110 * (i % 3) // 2, 110 + 20 * (i % 4), 60 + 25 * (i % 5))
    return picture


# ---- learning ----

class Lives:
    """Lives side by side, of bodies that may differ, which take a step in one call.

    Signals are -1 .. 1 from an effector's least to its most, a row a life, as wide as the body with the
    most effectors; observations likewise (the columns of `observation`), with zeros after a body's last.
    """

    def __init__(self, creatures, params=None, seed=None, ticks=1):
        self.ticks, self.lives = ticks, [Life(creature, params, seed) for creature in creatures]
        self._starts = [life.save() for life in self.lives]
        self.effectors = np.array([len(life.read("effectors")) for life in self.lives])
        self.observed = np.array([life.read("observation").size for life in self.lives])
        count = len(self.lives)
        self.observations = np.zeros((count, max(self.observed, default=0)))
        self.centres = np.zeros((count, 3))
        self.is_live = np.ones(count, np.uint8)
        self._pointers = (C.c_void_p * count)(*(life._as_parameter_.value for life in self.lives))
        self._order = _Step(None, max(self.effectors, default=0), self.observations.shape[1], 0,
                            self.observations.ctypes.data, self.centres.ctypes.data, self.is_live.ctypes.data)
        self._step(None, 0)

    def _step(self, signals, ticks):
        self._order.signals, self._order.ticks = signals, ticks
        _c.lives_step(self._pointers, len(self.lives), C.byref(self._order))

    def step(self, signals=None):
        """One step of all; None: by their brains. The three arrays are written anew by each step."""
        if signals is not None:
            signals = np.ascontiguousarray(signals, float)
            if signals.shape != (len(self.lives), self._order.width):
                raise ValueError(f"signals of {signals.shape} for {(len(self.lives), self._order.width)}")
        self._step(signals.ctypes.data if signals is not None else None, self.ticks)
        return self.observations, self.centres, self.is_live

    def reset(self, which=None):
        """Puts all, or those of these numbers, back to their start."""
        for i in range(len(self.lives)) if which is None else which:
            self.lives[i].restore(self._starts[i])
        self._step(None, 0)
        return self.observations


class Env(Base):
    """A body to be steered, by Gymnasium's rules. A step is `ticks` brain ticks of 1/60 s; the reward is the
    way of the centre of mass ahead (along x), m; a life is cut off (truncated) at simulation.duration_s, and
    terminates where a guard ends it."""
    metadata = {"render_modes": ["rgb_array"], "render_fps": 60}
    reward_range, spec = (-np.inf, np.inf), None

    def __init__(self, creature, params=None, ticks=1, render_mode=None):
        self.creature, self.params, self.ticks, self.render_mode = creature, params, ticks, render_mode
        self._lives, self._seed = Lives([creature], params, None, ticks), None
        self.action_space = Box(-1.0, 1.0, (int(self._lives.effectors[0]),), np.float32)
        self.observation_space = Box(-np.inf, np.inf, (self._lives.observations.shape[1],), np.float64)

    @property
    def unwrapped(self):
        return self

    @property
    def life(self):
        return self._lives.lives[0]

    def _look(self):
        return self._lives.observations[0].copy(), {"centre": self._lives.centres[0].copy()}

    def reset(self, *, seed=None, options=None):
        """A seed gives the life of that seed; None: the one before again."""
        if seed is not None and seed != self._seed:
            self._lives, self._seed = Lives([self.creature], self.params, seed, self.ticks), seed
        else:
            self._lives.reset()
        return self._look()

    def step(self, action):
        before = self._lives.centres[0, 0]
        self._lives.step(np.asarray(action, float).reshape(1, -1))
        observation, info = self._look()
        terminated = truncated = False
        if not self._lives.is_live[0]:
            info.update(self.life.result())
            truncated = info["verdict"] == 0
            terminated = not truncated
        return observation, float(info["centre"][0] - before), terminated, truncated, info

    def render(self):
        return self.life.draw() if self.render_mode == "rgb_array" else None

    def close(self):
        self._lives = None


# ---- worlds and evolution ----

class World(_Owned):
    """A preserve, which lives epoch by epoch of 30 s."""
    _free = staticmethod(_c.world_free)

    def __init__(self, params, founders=(), seed=1, state=None):
        """Founded by copies and mutants of creatures, or read from what to_bytes() wrote."""
        if state is not None:
            super().__init__(_c.world_read, params, state, len(state))
        else:
            given = (C.c_void_p * len(founders))(*(founder._as_parameter_.value for founder in founders))
            super().__init__(_c.world_found, params, seed, given, len(founders))

    def live(self):
        """An epoch. Returns its facts by name, and the digest."""
        _c.world_live(self)
        facts = np.zeros(len(FACTS), np.int64)
        digest = _c.world_facts(self, facts.ctypes.data, facts.size)
        return {**dict(zip(FACTS, facts.tolist())), "digest": f"{digest:016x}"}

    def creature(self, index):
        """A living creature, in the order of birth."""
        return Creature._made(lambda made: _c.world_creature(self, index, made))

    def to_bytes(self):
        return _take_bytes(_c.world_write, self)


class Search(_Owned):
    """Evolution by ask and tell: the same run for any order and owner of its tasks."""
    _free = staticmethod(_c.search_free)

    def __init__(self, params):
        self.params = params
        super().__init__(_c.search_make, params)

    def ask(self, most=64):
        """Tasks, for task() in any thread or process; none: tell() results first."""
        tasks = []
        while len(tasks) < most and (task := _take_bytes(_c.search_ask, self)):
            tasks.append(task)
        return tasks

    def tell(self, results):
        for result in results:
            _c.search_tell(self, result, len(result))

    @property
    def progress(self):
        """generation, done, needed, best, median, is_finished, evaluations."""
        progress = _Progress()
        _c.search_progress(self, C.byref(progress))
        return {name: getattr(progress, name) for name, _ in _Progress._fields_}

    def creature(self, rank=0):
        """Of the last complete generation."""
        return Creature._made(lambda made: _c.search_creature(self, rank, made))

    @property
    def digest(self):
        """That of `controller digest` for such a run; None until it is finished."""
        digest = _c.search_digest(self)
        return f"{digest:016x}" if digest else None

    def run(self, threads=os.cpu_count() or 1, watch=None):
        """To the end, in threads. watch(progress) is called after each generation. Returns the best creature."""
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            while not (before := self.progress)["is_finished"]:
                self.tell(pool.map(lambda given: task(self.params, given), self.ask(4 * threads)))
                if watch and self.progress["generation"] != before["generation"]:
                    watch(self.progress)
        return self.creature()


def task(params, given):
    """Does a task of a search by the search's parameters: a pure function of bytes."""
    return _take_bytes(_c.task, params, given, len(given))


class Run:
    """A run's directory, read as pandas frames; docs/run-store.md has its tables."""

    def __init__(self, directory):
        path = urllib.request.pathname2url(os.path.abspath(os.path.join(directory, "run.db")))
        self._db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def frame(self, what, **options):
        """A table's name or an SQL query; options are those of pandas.read_sql."""
        import pandas
        return pandas.read_sql(what if " " in what.strip() else f'SELECT * FROM "{what}"', self._db, **options)

    @property
    def generations(self):
        return self.frame("SELECT * FROM generations WHERE closed = 1", index_col="number")

    @property
    def creatures(self):
        return self.frame("individuals", index_col="id")

/// libavdevice, loaded with dlopen on first use: few runs read a device.
#ifndef CVSTREAM_LIBAV_DEVICE_H
#define CVSTREAM_LIBAV_DEVICE_H

/// Registers libavdevice's formats with libavformat. Returns 0, or −1 if the library is not installed.
int CVStreamLibAV_loadDevices(void);

/// The major version of libavdevice, which is part of its file's and its package's name.
extern const int CVStreamLibAV_deviceMajor;

#endif
